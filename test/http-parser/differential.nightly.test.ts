// Differential test of the HTTP parser with millions of new inputs.
import { test } from "node:test";
import { RequestParser } from "../../src/http/server/net/parser.ts";
import { Comparison } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";

const inputCount = 2_000_000;

test("the parser accepts none of 2,000,000 mutated requests that llhttp refuses, and reads them alike", (context) => {
  const seed = Date.now() % 1_000_000_000;
  context.diagnostic(`seed ${seed}`);
  const comparison = new Comparison(makeParse(RequestParser));
  comparison.checkMutations(seed, inputCount);
  context.diagnostic(`${comparison.inputCount} inputs`);
  comparison.expectNoFault();
});
