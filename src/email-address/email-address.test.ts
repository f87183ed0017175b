import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { addressKey, findAddressProblem, parseAddress, normalizeAddress } from "./index.ts";
import { rounds } from "../../test/rounds.ts";

describe("an e-mail address", () => {
  test("is valid if mail can be sent to it, and surrounding blanks are trimmed", () => {
    const label = "b".repeat(63);
    const good = [
      ["a@b", "a@b"],
      ["a@b.c.d1", "a@b.c.d1"],
      ["heidi.berg+todo@sub.example.com", "heidi.berg+todo@sub.example.com"],
      ["Ada@EXAMPLE.com", "Ada@example.com"],
      ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
      ["_@1and1.example", "_@1and1.example"],
      ["ada@bücher.example", "ada@xn--bcher-kva.example"],
      ["ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"],
      [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
      [`a@${label}.${label}.${label}.${"b".repeat(60)}`, `a@${label}.${label}.${label}.${"b".repeat(60)}`],
    ] as const;
    for (const [typed, sent] of good) {
      assert.equal(findAddressProblem(typed), undefined, typed);
      assert.deepEqual(normalizeAddress(typed), { ok: true, value: sent });
      assert.equal(parseAddress(`\u00a0 ${typed}\r\n`), typed);
    }
  });

  test("has a problem with a message if it is invalid", () => {
    const label = "b".repeat(63);
    const bad = [
      ["", "has no @"],
      ["ada", "has no @"],
      ["ada@", "has no domain name after the @"],
      ["@b", "is not one address"],
      ["a b@example.com", "is not one address"],
      ["a@b@c", "is not one address"],
      [".a@b", "is not one address"],
      ["a.@b", "is not one address"],
      ["a..b@c", "is not one address"],
      ['"a b"@c', "is not one address"],
      ["Ada <ada@example.com>", "is not one address: pass a name as { name, address }"],
      ["ädä@example.com", "has letters before the @ that mail does not support"],
      ["mıke@example.com", "has letters before the @ that mail does not support"],
      ["a\ud800@b", "has letters before the @ that mail does not support"],
      ["a@\ud800", "has no domain name after the @"],
      ["ada@exa_mple.com", "has no domain name after the @"],
      ["ada@exa mple.com", "has no domain name after the @"],
      ["ada@example.com.", "has no domain name after the @"],
      ["ada@.example.com", "has no domain name after the @"],
      ["ada@-example.com", "has no domain name after the @"],
      ["ada@example-.com", "has no domain name after the @"],
      ["ada@example.com:25", "has no domain name after the @"],
      ["ada@%65xample.com", "has no domain name after the @"],
      ["ada@[::1]", "has no domain name after the @"],
      ["ada@127.0.0.1", "has no domain name after the @"],
      ["ada@1", "has no domain name after the @"],
      [`ada@${label}b.com`, "has no domain name after the @"],
      ["ada\n@example.com", "contains a line break or another control character"],
      ["ada@exam\0ple.com", "contains a line break or another control character"],
      ["a\u0085b@c", "contains a line break or another control character"],
      ["ada@b\u2028", "contains a line break or another control character"],
      ["ada@b\u2029", "contains a line break or another control character"],
      [`${"a".repeat(65)}@example.com`, "has more than 64 characters before the @"],
      [`a@${label}.${label}.${label}.${"b".repeat(61)}`, "is longer than 254 characters"],
      [`a@ü${"b".repeat(54)}.${label}.${label}.${label}`, "is longer than 254 characters"],
      [`a@${"b".repeat(100_000)}`, "is longer than 254 characters"],
    ] as const;
    for (const [typed, problem] of bad) {
      assert.equal(findAddressProblem(typed), problem, JSON.stringify(typed));
      assert.deepEqual(normalizeAddress(typed), { ok: false, error: problem });
      if (!/[\u2028\u2029]$/.test(typed)) assert.equal(parseAddress(typed), undefined, JSON.stringify(typed));
    }
  });

  test("is never accepted with separators of several addresses", () => {
    const part = fc.string({ unit: fc.constantFrom(...Array.from('ab.@,;:<>()[]"\\ \t\r\n%=?ü。')) });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const typed = `${local}@${domain}`;
        if (findAddressProblem(typed) !== undefined) return;
        assert.match(typed, /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\%=?]+$/u);
      }),
      { numRuns: rounds(2000) },
    );
  });

  test("stays valid and unchanged when it is normalized again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.emailAddress()), (text) => {
        const address = parseAddress(text);
        if (address === undefined) return;
        const sent = normalizeAddress(address);
        assert.ok(sent.ok);
        assert.deepEqual(normalizeAddress(sent.value), sent);
        assert.equal(parseAddress(address), address);
        assert.doesNotMatch(address, /[\s\0]/);
        assert.equal(addressKey(sent.value), addressKey(address));
        assert.equal(addressKey(addressKey(address)), addressKey(address));
      }),
    );
  });

  test("has one key for any case of ASCII letters and any spelling of its domain, and no other address has it", () => {
    assert.equal(addressKey("MIKE@Example.COM"), "mike@example.com");
    assert.equal(addressKey("mike@ｅxample.com"), "mike@example.com");
    assert.equal(addressKey("Mike@BÜCHER.example"), "mike@xn--bcher-kva.example");
    for (const other of [
      "mıke@example.com",
      "mİke@example.com",
      "MİKE@EXAMPLE.COM",
      "ＭIKE@example.com",
      "Ⓜike@example.com",
      "mike@examplе.com",
      "mike@exámple.com",
    ]) {
      assert.notEqual(addressKey(other), "mike@example.com");
    }
    assert.equal(addressKey("ÄÖÜ@ß.CH"), "ÄÖÜ@ß.ch");
  });
});
