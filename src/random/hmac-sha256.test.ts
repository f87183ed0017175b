import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { hmacSha256 } from "./hmac-sha256.ts";
import { anyCharacter } from "../../test/any-character.ts";

describe("HMAC-SHA256", () => {
  test("is that of node:crypto, for any key up to a block and any texts", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.array(fc.string({ unit: anyCharacter, maxLength: 2000 }), { minLength: 1, maxLength: 5 }),
        (key, texts) => {
          // A longer text before must not leave anything behind.
          for (const text of texts) {
            assert.equal(hmacSha256(key, text), createHmac("sha256", key).update(text).digest("base64url"));
          }
        },
      ),
    );
  });

  test("covers a text of any size", () => {
    const key = randomBytes(32);
    for (const length of [0, 1365, 1366, 4095, 4096, 4097, 20_000, 1]) {
      for (const character of ["a", "é", "日", "\u{1f600}"]) {
        const text = character.repeat(length);
        assert.equal(hmacSha256(key, text), createHmac("sha256", key).update(text).digest("base64url"));
      }
    }
  });

  test("refuses a key that is longer than a block", () => {
    assert.equal(hmacSha256(randomBytes(64), "").length, 43);
    assert.throws(() => hmacSha256(randomBytes(65), ""), RangeError);
  });
});
