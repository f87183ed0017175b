import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as checkProperty, date, property } from "fast-check";
import { formatTimestamp, parseTimestamp } from "./timestamp.ts";

test("parses every formatted date back to the same date", () => {
  const dates = date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  checkProperty(property(dates, (original) => assert.deepEqual(parseTimestamp(formatTimestamp(original)), original)));
});

for (const [text, iso] of [
  ["2026-01-31 12:34:56", "2026-01-31T12:34:56.000Z"],
  ["2026-01-31T12:34:56Z", "2026-01-31T12:34:56.000Z"],
  ["2026-01-31 12:34:56.1+00", "2026-01-31T12:34:56.100Z"],
  ["2026-01-31 12:34:56.123456+00:00", "2026-01-31T12:34:56.123Z"],
  ["2026-01-31 12:34:56.999999999+0000", "2026-01-31T12:34:56.999Z"],
  ["2024-02-29 00:00:00", "2024-02-29T00:00:00.000Z"],
] as const) {
  test(`parses ${text}`, () => assert.equal(parseTimestamp(text)?.toISOString(), iso));
}

for (const text of [
  "",
  "2026-01-31",
  "0000-00-00 00:00:00",
  "2026-02-29 00:00:00",
  "2026-13-01 00:00:00",
  "2026-01-32 00:00:00",
  "2026-01-31 24:00:00",
  "2026-01-31 12:60:00",
  "2026-01-31 12:34:60",
  "2026-01-31 12:34:56.",
  "2026-01-31 12:34:56+01",
  "2026-01-31 12:34:56 ",
  "2026/01/31 12:34:56",
  "infinity",
  "99999-01-01 00:00:00",
  "２０26-01-31 12:34:56",
]) {
  test(`returns undefined for ${JSON.stringify(text)}`, () => assert.equal(parseTimestamp(text), undefined));
}
