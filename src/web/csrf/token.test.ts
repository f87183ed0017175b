import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { isSecret, isTokenOf, maskToken, newSecret } from "./token.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= é";

describe("a CSRF token", () => {
  test("differs each time, and always matches its secret", () => {
    const secret = newSecret();
    const tokens = new Set(Array.from({ length: 100 }, () => maskToken(secret)));
    assert.equal(tokens.size, 100);
    for (const token of tokens) assert.ok(isTokenOf(secret, token));
  });

  test("does not contain its secret, in part or whole", () => {
    const secret = newSecret();
    const token = maskToken(secret);
    for (let at = 0; at + 6 <= secret.length; at++) assert.ok(!token.includes(secret.slice(at, at + 6)));
  });

  test("of one secret does not match another", () => {
    for (let round = 0; round < 100; round++) assert.ok(!isTokenOf(newSecret(), maskToken(newSecret())));
  });

  test("is refused after any change of any one character", () => {
    const secret = newSecret();
    const token = maskToken(secret);
    for (let at = 0; at < token.length; at++) {
      for (const character of [...alphabet.split(""), ""]) {
        if (character === token[at]) continue;
        assert.ok(!isTokenOf(secret, token.slice(0, at) + character + token.slice(at + 1)), `${at}: ${character}`);
      }
    }
  });

  test("is refused when truncated, doubled, empty or arbitrary", () => {
    const secret = newSecret();
    const token = maskToken(secret);
    for (let length = 0; length < token.length; length++) assert.ok(!isTokenOf(secret, token.slice(0, length)));
    for (const text of [`${token}A`, `${token},${token}`, ` ${token}`, `${token}\n`, secret, "a".repeat(1_000_000)]) {
      assert.ok(!isTokenOf(secret, text));
    }
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => assert.ok(!isTokenOf(secret, text))));
  });

  test("that is all zeros, the mask equal to the secret, is refused", () => {
    const secret = newSecret();
    const mask = Buffer.from(secret, "base64url");
    assert.ok(!isTokenOf(secret, Buffer.concat([mask, mask]).toString("base64url")));
    assert.ok(!isTokenOf(secret, Buffer.alloc(64).toString("base64url")));
  });
});

describe("a CSRF secret", () => {
  test("is 32 random bytes", () => {
    const secrets = new Set(Array.from({ length: 100 }, newSecret));
    assert.equal(secrets.size, 100);
    for (const secret of secrets) {
      assert.ok(isSecret(secret));
      assert.equal(Buffer.from(secret, "base64url").length, 32);
    }
  });

  test("is nothing else", () => {
    const secret = newSecret();
    for (const text of [undefined, "", secret.slice(1), `${secret}A`, `${secret.slice(0, -1)}B`, "é".repeat(43)]) {
      assert.ok(!isSecret(text));
    }
  });
});
