// Differential test of the HTTP parser with millions of new inputs. A failure names its seed.
import { test } from "node:test";
import { RequestParser } from "../../src/http/server/net/parser.ts";
import { Comparison, expectNoFault } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";

const inputCount = 2_000_000;
const seed = Date.now() % 1_000_000_000;

test(`the parser accepts none of ${inputCount} mutated requests that llhttp refuses, seed ${seed}`, () => {
  const comparison = new Comparison(makeParse(RequestParser));
  comparison.checkMutations(seed, inputCount);
  expectNoFault(comparison);
});
