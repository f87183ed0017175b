// Differential test of the HTTP parser: it is as strict as llhttp, and its result does not depend on cuts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RequestParser } from "../../src/http/server/net/parser.ts";
import { hasAllRounds, rounds } from "../rounds.ts";
import { laxerRules, lateRules, stricterRules } from "./compare.ts";
import { Comparison, expectNoFault } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";

const parse = makeParse(RequestParser);

describe("the parser, compared with llhttp", () => {
  test("accepts no more of the listed requests, and reads them alike, whole and byte by byte", () => {
    const comparison = new Comparison(parse);
    comparison.checkRequests();
    expectNoFault(comparison);
    const unused = [...stricterRules, ...laxerRules].filter((rule) => !comparison.appliedRules.has(rule));
    assert.deepEqual(unused, [], "rules without a request that needs them");
  });

  test("accepts no more of the mutated requests, and reads them alike at any cut", () => {
    const comparison = new Comparison(parse);
    comparison.checkMutations(1, rounds(150_000));
    expectNoFault(comparison);
    if (hasAllRounds) assert.ok(lateRules.every((rule) => comparison.appliedRules.has(rule)));
  });
});
