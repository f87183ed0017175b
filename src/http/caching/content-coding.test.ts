import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { chooseContentCoding, type ContentCoding } from "./content-coding.ts";

const offered = ["br", "zstd", "gzip"] as const;

describe("the content coding", () => {
  const rows: readonly (readonly [string | undefined, ContentCoding])[] = [
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["deflate", "identity"],
    ["br;q=0.5, gzip", "gzip"],
    ["gzip, br;q=1", "br"],
    ["br;q=0.5, gzip;q=0.5", "br"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["br;q=0", "identity"],
    ["*", "br"],
    ["*;q=0.1", "br"],
    ["br;q=0, *", "zstd"],
    ["*;q=0", "identity"],
    ["identity", "identity"],
    ["identity;q=1, br;q=0.9", "identity"],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0, deflate", "identity"],
    ["gzip ; q = 0", "gzip"],
    ["gzip ;q=1", "gzip"],
    ["gzip;Q=1", "gzip"],
    ["gzip;q=2", "identity"],
    ["gzip;q=20", "identity"],
    ["gzip;q=", "identity"],
    ["gzip;q=0.1234", "identity"],
    ["gzip;q=-1", "identity"],
    ["gzip;q=1e3", "identity"],
    ["gzip;level=9", "gzip"],
    ["gzipx", "identity"],
    ["__proto__", "identity"],
    ["a,".repeat(31) + "gzip", "gzip"],
    ["a,".repeat(32) + "gzip", "identity"],
  ];
  for (const [header, expected] of rows) {
    test(`for ${JSON.stringify(header?.slice(0, 40))} is ${expected}`, () =>
      assert.equal(chooseContentCoding(header, offered), expected));
  }

  test("is chosen in linear time, whatever the header", () => {
    // A quadratic algorithm would exceed the time limit of a test.
    for (const filler of [" ", "\t", ";", ";q=", " q=", "a ", ","])
      chooseContentCoding(`gzip;q=x${filler.repeat(1_000_000)}y`, offered);
  });

  test("is always an offered one, or identity", () => {
    fc.assert(
      fc.property(fc.string(), fc.subarray([...offered]), (header, some) => {
        const coding = chooseContentCoding(header, some);
        assert.ok(coding === "identity" || some.includes(coding));
      }),
    );
  });
});
