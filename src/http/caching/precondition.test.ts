import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Request } from "../message/request.ts";
import { formatHttpDate } from "./precondition.ts";
import { evaluatePreconditions, isRangeValid } from "./precondition.ts";
import { sendContent } from "./send-content.ts";

const lastModifiedMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const version = { etag: '"a"', lastModifiedMs };
const [same, earlier, later] = [lastModifiedMs, lastModifiedMs - 1000, lastModifiedMs + 1000].map(formatHttpDate) as [
  string,
  string,
  string,
];
const requestOf = (headers: Record<string, string>): Request =>
  Request.from(new globalThis.Request("http://localhost/", { headers }));

describe("a conditional request", () => {
  const rows: readonly (readonly [Record<string, string>, ReturnType<typeof evaluatePreconditions>])[] = [
    [{}, "proceed"],
    [{ "if-match": '"a"' }, "proceed"],
    [{ "if-match": '"x", "a"' }, "proceed"],
    [{ "if-match": "*" }, "proceed"],
    [{ "if-match": "nonsense" }, "proceed"],
    [{ "if-match": '"x"' }, "failed"],
    [{ "if-match": 'W/"a"' }, "failed"],
    [{ "if-unmodified-since": same }, "proceed"],
    [{ "if-unmodified-since": later }, "proceed"],
    [{ "if-unmodified-since": earlier }, "failed"],
    [{ "if-unmodified-since": "nonsense" }, "proceed"],
    [{ "if-match": '"a"', "if-unmodified-since": earlier }, "proceed"],
    [{ "if-none-match": '"a"' }, "not-modified"],
    [{ "if-none-match": '"x", W/"a"' }, "not-modified"],
    [{ "if-none-match": "*" }, "not-modified"],
    [{ "if-none-match": '"x"' }, "proceed"],
    [{ "if-modified-since": same }, "not-modified"],
    [{ "if-modified-since": later }, "not-modified"],
    [{ "if-modified-since": earlier }, "proceed"],
    [{ "if-modified-since": "nonsense" }, "proceed"],
    [{ "if-none-match": '"x"', "if-modified-since": later }, "proceed"],
    [{ "if-match": '"x"', "if-none-match": '"a"' }, "failed"],
    [{ "if-match": '"a"', "if-none-match": '"a"' }, "not-modified"],
  ];
  for (const [headers, result] of rows) {
    test(`with ${JSON.stringify(headers)} gives ${result}`, () => {
      assert.equal(evaluatePreconditions(requestOf(headers), version), result);
    });
  }
});

describe("a range", () => {
  for (const [condition, isValid] of [
    [undefined, true],
    ['"a"', true],
    ['W/"a"', false],
    ['"x"', false],
    [same, true],
    [earlier, false],
    [later, false],
    ["nonsense", false],
  ] as const) {
    test(`is ${isValid ? "" : "not "}sent if the client has ${condition ?? "no If-Range"}`, () => {
      assert.equal(isRangeValid(requestOf(condition === undefined ? {} : { "if-range": condition }), version), isValid);
    });
  }
});

test("the whole content is a range from the first to the last byte", () => {
  const response = sendContent(requestOf({}), { ...version, size: 10, body: (range) => JSON.stringify(range) });
  assert.equal(response.body, '{"first":0,"last":9}');
});
