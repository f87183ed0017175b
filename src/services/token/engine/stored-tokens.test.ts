import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "limmat";
import { seededRandom } from "limmat/testing";
import { hashToken, isTokenText, newTokenText } from "./stored-tokens.ts";

test("a token has a prefix, 256 random bits and a checksum", () => {
  using _ = seededRandom("tokens");
  const token = newTokenText();
  assert.match(token, /^lmt_[A-Za-z0-9_-]{49}$/);
  assert.equal(Buffer.from(token.slice(4, 47), "base64url").length, 32);
  assert.ok(isTokenText(token));
  assert.equal(hashToken(token).length, 43);
});

test("a mistyped token is detected by its checksum", () => {
  for (let round = 0; round < 20; round++) {
    const token = newTokenText();
    const index = Random.int(0, token.length - 1);
    const replacement = token[index] === "x" ? "y" : "x";
    for (const text of [
      token.slice(0, index) + replacement + token.slice(index + 1),
      token.slice(0, index) + token.slice(index + 1),
      `${token.slice(0, index)}x${token.slice(index)}`,
      `${token}\n`,
      "",
    ]) {
      assert.equal(isTokenText(text), false, text);
    }
  }
});
