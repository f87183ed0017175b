import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { originSet } from "./request-origin.ts";

describe("an origin in an option", () => {
  for (const origin of [
    "https://example.com",
    "https://example.com:8080",
    "http://example.com",
    "https://[::1]:3000",
  ]) {
    test(`may be ${origin}`, () => assert.ok(originSet([origin]).has(origin)));
  }

  const wrong = [
    "example.com",
    "https://",
    "https://example.com/",
    "https://example.com/path",
    "https://example.com?query=value",
    "https://example.com#fragment",
    "https://ex ample.com",
    "",
    "null",
    "*",
    "https://EXAMPLE.com",
    "https://example.com:443",
    "https://user@example.com",
    "ftp://example.com",
    "https:example.com",
    " https://example.com",
  ];
  for (const origin of wrong) {
    test(`may not be ${JSON.stringify(origin)}`, () => {
      assert.throws(
        () => originSet([origin]),
        (error) => isError(error, "E_ORIGIN_INVALID"),
      );
    });
  }
});
