import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { addressKey, parseAddress } from "./email-address.ts";

describe("an e-mail address", () => {
  test("is a name, an @ and a domain, blanks around it left out", () => {
    const good = [
      "a@b",
      "heidi.berg+todo@sub.example.com",
      "mıke@example.com",
      "用户@例子.公司",
      `${"a".repeat(252)}@b`,
      "'or'1'='1@x",
      "a/b@[::1]",
    ];
    for (const address of good) assert.equal(parseAddress(`\u00a0 ${address}\r\n`), address);
    const bad = [
      "",
      " ",
      "a",
      "@",
      "a@",
      "@b",
      "a@b@c",
      "a b@c",
      "a\tb@c",
      "a\nb@c",
      "a@b\u0000",
      "a\u200e\u0007@b",
      "a\u0085b@c",
      "a\ud800@b",
      `${"a".repeat(253)}@b`,
    ];
    for (const address of bad) assert.equal(parseAddress(address), undefined, JSON.stringify(address));
  });

  test("that is one is one again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.emailAddress()), (text) => {
        const address = parseAddress(text);
        if (address === undefined) return;
        assert.equal(parseAddress(address), address);
        assert.doesNotMatch(address, /[\s\0]/);
        assert.equal(addressKey(addressKey(address)), addressKey(address));
        assert.equal(addressKey(address).length, address.length);
      }),
    );
  });

  test("has one key in any case of ASCII letters, and no other address has it", () => {
    assert.equal(addressKey("MIKE@Example.COM"), "mike@example.com");
    for (const other of [
      "mıke@example.com",
      "mİke@example.com",
      "MİKE@EXAMPLE.COM",
      "ＭIKE@example.com",
      "Ⓜike@example.com",
    ]) {
      assert.notEqual(addressKey(other), "mike@example.com");
    }
    assert.equal(addressKey("ÄÖÜ@ß.ch"), "ÄÖÜ@ß.ch");
  });
});
