import assert from "node:assert/strict";
import { test } from "node:test";
import type { Measurement } from "../harness/measure.ts";
import { comparisonOf } from "./comparison.ts";

const measurement = (contestant: string, cpu: readonly number[], errors = 0): Measurement => ({
  work: "json",
  contestant,
  host: "node",
  rounds: cpu.map((cpuPerRequest) => ({ cpuPerRequest, requestsPerSecond: 1, p50: 1, p99: 1, rss: 1, errors })),
});

const base = measurement("base", [1, 1, 1, 1]);

test("a head that costs more in most rounds fails", () => {
  const { isFailed, line } = comparisonOf("json", [base, measurement("head", [1.2, 0.9, 1.1, 1.2])], 1.05);
  assert.equal(isFailed, true);
  assert.match(line, /^json +1\.15 \(0\.90–1\.20\) .*SLOWER$/);
});

test("a head within the threshold passes, and so does one whose rounds disagree", () => {
  assert.equal(comparisonOf("json", [base, measurement("head", [1.04, 1.04, 1.04, 1.04])], 1.05).isFailed, false);
  assert.equal(comparisonOf("json", [base, measurement("head", [1.3, 0.9, 0.9, 1.3])], 1.05).isFailed, false);
});

test("wrong responses of the head fail, those of the base do not", () => {
  const failed = { ...measurement("head", []), failure: "404" };
  assert.equal(comparisonOf("json", [base, failed], 1.05).isFailed, true);
  assert.equal(comparisonOf("json", [base, measurement("head", [1, 1, 1, 1], 1)], 1.05).isFailed, true);
  const absent = { ...measurement("base", []), failure: "no such application" };
  assert.deepEqual(comparisonOf("json", [absent, measurement("head", [1])], 1.05), {
    line: `${"json".padEnd(18)} not in the base`,
    isFailed: false,
  });
});
