import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Configuration } from "../../config/index.ts";
import { sign, verify } from "./signed-cookie.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const current = randomBytes(32);
const old = randomBytes(32);
const keys: Configuration.SecretKeys = { current, all: [current, old] };
const place = { purpose: "session", name: "_session" };
const time = 1_790_000_000_000;
const characters = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  "\u0000",
  "é",
  "Ł",
  "日",
  "",
];

describe("a signed value", () => {
  test("is verified with its time, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
        (text, signedAtMs) => {
          const signed = sign(text, place, keys, signedAtMs);
          assert.deepEqual(verify(signed, place, keys), { value: text, signedAtMs, isCurrent: true });
        },
      ),
    );
  });

  test("is 53 characters longer than its value in base64url", () => {
    assert.equal(sign("abcdef", place, keys, time).length, 8 + 53);
    assert.equal(sign("", place, keys, time).length, 53);
  });

  test("is refused after any change of any one character", () => {
    const signed = sign(JSON.stringify([{ user_id: "1" }]), place, keys, time);
    for (let at = 0; at < signed.length; at++) {
      for (const character of characters) {
        if (character === signed[at]) continue;
        const changed = signed.slice(0, at) + character + signed.slice(at + 1);
        assert.equal(verify(changed, place, keys), undefined, `${at}: ${JSON.stringify(character)}`);
      }
    }
  });

  test("is refused when truncated anywhere, or extended", () => {
    const signed = sign("value", place, keys, time);
    for (let length = 0; length < signed.length; length++) {
      assert.equal(verify(signed.slice(0, length), place, keys), undefined);
      assert.equal(verify(signed.slice(length + 1), place, keys), undefined);
    }
    for (const more of ["a", "=", "\n", ".", " "]) assert.equal(verify(signed + more, place, keys), undefined);
    for (const more of ["a", "=", "\n", ".", " "]) assert.equal(verify(more + signed, place, keys), undefined);
  });

  test("is refused with two characters swapped, and with an empty signature", () => {
    const signed = sign("value", place, keys, time);
    for (let at = 1; at < signed.length; at++) {
      if (signed[at] === signed[at - 1]) continue;
      const swapped = `${signed.slice(0, at - 1)}${signed[at]}${signed[at - 1]}${signed.slice(at + 1)}`;
      assert.equal(verify(swapped, place, keys), undefined);
    }
    assert.equal(verify(signed.slice(0, signed.lastIndexOf(".") + 1), place, keys), undefined);
  });

  test("is refused when the parts of two values are mixed", () => {
    const one = sign("one", place, keys, time).split(".");
    const two = sign("two", place, keys, time + 1).split(".");
    for (let mix = 1; mix < 7; mix++) {
      const parts = [0, 1, 2].map((part) => ((mix >> part) & 1 ? one : two)[part]);
      assert.equal(verify(parts.join("."), place, keys), undefined);
    }
  });

  test("is refused under another name, for another purpose and by another key", () => {
    const signed = sign("value", place, keys, time);
    assert.equal(verify(signed, { purpose: "session", name: "_session2" }, keys), undefined);
    assert.equal(verify(signed, { purpose: "flash", name: "_session" }, keys), undefined);
    assert.equal(verify(signed, { purpose: "session\n_session", name: "" }, keys), undefined);
    const other = randomBytes(32);
    assert.equal(verify(signed, place, { current: other, all: [other] }), undefined);
  });

  test("is accepted with a former key, and marked as such", () => {
    const signed = sign("value", place, { current: old, all: [old] }, time);
    assert.deepEqual(verify(signed, place, keys), { value: "value", signedAtMs: time, isCurrent: false });
    assert.equal(verify(signed, place, { current, all: [current] }), undefined);
  });

  test("is refused without an error for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.base64String()), (text) => {
        assert.equal(verify(text, place, keys), undefined);
      }),
    );
    assert.equal(verify(`${"a".repeat(1_000_000)}.0.${"a".repeat(43)}`, place, keys), undefined);
  });
});
