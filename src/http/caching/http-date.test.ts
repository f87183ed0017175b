import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { formatHttpDate, parseHttpDate } from "./precondition.ts";

test("a date is formatted and parsed in whole seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      assert.equal(parseHttpDate(formatHttpDate(seconds * 1000)), seconds * 1000);
    }),
  );
});

test("a date is parsed in the three formats of RFC 9110, in any time zone", (context) => {
  const { TZ } = process.env;
  context.after(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });
  process.env["TZ"] = "America/New_York";
  const time = Date.UTC(1994, 10, 6, 8, 49, 37);
  assert.equal(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), time);
  assert.equal(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), time);
  assert.equal(parseHttpDate("Sun Nov  6 08:49:37 1994"), time);
  assert.equal(parseHttpDate("Wed Nov 16 08:49:37 1994"), Date.UTC(1994, 10, 16, 8, 49, 37));
});

test("any other text is not a date", () => {
  const texts = [
    "",
    "now",
    "0",
    "1994",
    "1994-11-06T08:49:37Z",
    "06 Nov 1994",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 UTC",
  ];
  for (const text of [
    ...texts,
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 32 Nov 1994 08:49:37 GMT",
    ...["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"].flatMap(
      (date) => [`(a) ${date}`, `${date} (a)`],
    ),
  ]) {
    assert.equal(parseHttpDate(text), undefined, text);
  }
});
