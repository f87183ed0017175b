import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parseRange } from "./send-content.ts";
import { rounds } from "../../../test/rounds.ts";

describe("a range of 1,000 bytes", () => {
  const rows: readonly (readonly [string, readonly [number, number] | "unsatisfiable" | undefined])[] = [
    ["bytes=0-0", [0, 0]],
    ["bytes=0-499", [0, 499]],
    ["bytes=500-", [500, 999]],
    ["bytes=-500", [500, 999]],
    ["bytes=-1", [999, 999]],
    ["bytes=-1000", [0, 999]],
    ["bytes=-1001", [0, 999]],
    ["bytes=999-", [999, 999]],
    ["bytes=0-9999999999", [0, 999]],
    ["bytes=000-001", [0, 1]],
    ["Bytes=0-1", [0, 1]],
    ["bytes= 0-1 ", [0, 1]],
    ["bytes=1000-", "unsatisfiable"],
    ["bytes=1000-1001", "unsatisfiable"],
    ["bytes=9999999999-", "unsatisfiable"],
    [`bytes=${"9".repeat(400)}-`, "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-1", undefined],
    ["bytes=-", undefined],
    ["bytes=", undefined],
    ["bytes", undefined],
    ["", undefined],
    ["bytes=a-b", undefined],
    ["bytes=1-2-3", undefined],
    ["bytes=+1-2", undefined],
    ["bytes=1 - 2", undefined],
    ["bytes=1.5-2", undefined],
    ["bytes=0x1-2", undefined],
    ["bytes=١-٢", undefined],
    ["bytes=0-1,2-3", undefined],
    ["bytes=0-1,", undefined],
    [`bytes=${"0-,".repeat(5000)}`, undefined],
    ["items=0-1", undefined],
    ["x-bytes=0-1", undefined],
    ["bytes =0-1", undefined],
  ];
  for (const [header, expected] of rows) {
    const outcome = expected === undefined ? "the whole" : expected === "unsatisfiable" ? "416" : expected.join(" to ");
    test(`${JSON.stringify(header.slice(0, 40))} is ${outcome}`, () => {
      const range = parseRange(header, 1000);
      assert.deepEqual(typeof range === "object" ? [range.first, range.last] : range, expected);
    });
  }

  test("of an empty content is unsatisfiable", () => {
    for (const header of ["bytes=0-0", "bytes=0-", "bytes=-1"]) assert.equal(parseRange(header, 0), "unsatisfiable");
  });

  test("is always within the content", () => {
    const part = fc.oneof(fc.nat().map(String), fc.constant(""), fc.bigInt({ min: 0n }).map(String));
    fc.assert(
      fc.property(part, part, fc.nat({ max: 10_000 }), (from, to, size) => {
        const range = parseRange(`bytes=${from}-${to}`, size);
        if (typeof range === "object") assert.ok(range.first >= 0 && range.first <= range.last && range.last < size);
      }),
      { numRuns: rounds(1000) },
    );
  });
});
