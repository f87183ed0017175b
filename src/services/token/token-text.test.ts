import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "limmat";
import { seededRandom } from "limmat/testing";
import { hashOf, isTokenText, newTokenText } from "./token-text.ts";

test("a token is known by its beginning, holds 256 random bits, and ends with what follows from them", () => {
  using _ = seededRandom("tokens");
  const token = newTokenText();
  assert.match(token, /^lmt_[A-Za-z0-9_-]{49}$/);
  assert.equal(Buffer.from(token.slice(4, 47), "base64url").length, 32);
  assert.ok(isTokenText(token));
  assert.equal(hashOf(token).length, 43);
});

test("a token that was mistyped is told without a look at the table", () => {
  for (let round = 0; round < 20; round++) {
    const token = newTokenText();
    const at = Random.int(0, token.length - 1);
    const other = token[at] === "x" ? "y" : "x";
    for (const text of [
      token.slice(0, at) + other + token.slice(at + 1),
      token.slice(0, at) + token.slice(at + 1),
      `${token.slice(0, at)}x${token.slice(at)}`,
      `${token}\n`,
      "",
    ]) {
      assert.equal(isTokenText(text), false, text);
    }
  }
});
