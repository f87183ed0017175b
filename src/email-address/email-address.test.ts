import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { addressKey, addressProblem, parseAddress, readAddress } from "./index.ts";

describe("an e-mail address", () => {
  test("is what mail can be sent to, blanks around it left out", () => {
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
      assert.equal(addressProblem(typed), undefined, typed);
      assert.deepEqual(readAddress(typed), { ok: true, value: sent });
      assert.equal(parseAddress(`\u00a0 ${typed}\r\n`), typed);
    }
  });

  test("that is none has a problem that can be told", () => {
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
      ["Ada <ada@example.com>", "is not one address: with a name it is { name, address }"],
      ["ädä@example.com", "has letters before the @ that mail cannot carry"],
      ["mıke@example.com", "has letters before the @ that mail cannot carry"],
      ["a\ud800@b", "has letters before the @ that mail cannot carry"],
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
      ["ada\n@example.com", "has a line break or another control character in it"],
      ["ada@exam\0ple.com", "has a line break or another control character in it"],
      ["a\u0085b@c", "has a line break or another control character in it"],
      ["ada@b\u2028", "has a line break or another control character in it"],
      ["ada@b\u2029", "has a line break or another control character in it"],
      [`${"a".repeat(65)}@example.com`, "has more than 64 characters before the @"],
      [`a@${label}.${label}.${label}.${"b".repeat(61)}`, "is longer than 254 characters"],
      [`a@ü${"b".repeat(54)}.${label}.${label}.${label}`, "is longer than 254 characters"],
      [`a@${"b".repeat(100_000)}`, "is longer than 254 characters"],
    ] as const;
    for (const [typed, problem] of bad) {
      assert.equal(addressProblem(typed), problem, JSON.stringify(typed));
      assert.deepEqual(readAddress(typed), { ok: false, error: problem });
      if (!/[\u2028\u2029]$/.test(typed)) assert.equal(parseAddress(typed), undefined, JSON.stringify(typed));
    }
  });

  test("is never anything but one address, whatever is typed", () => {
    const part = fc.string({ unit: fc.constantFrom(...Array.from('ab.@,;:<>()[]"\\ \t\r\n%=?ü。')) });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const typed = `${local}@${domain}`;
        if (addressProblem(typed) !== undefined) return;
        assert.match(typed, /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\%=?]+$/u);
      }),
      { numRuns: 2000 },
    );
  });

  test("that is one is one again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.emailAddress()), (text) => {
        const address = parseAddress(text);
        if (address === undefined) return;
        const sent = readAddress(address);
        assert.ok(sent.ok);
        assert.deepEqual(readAddress(sent.value), sent);
        assert.equal(parseAddress(address), address);
        assert.doesNotMatch(address, /[\s\0]/);
        assert.equal(addressKey(sent.value), addressKey(address));
        assert.equal(addressKey(addressKey(address)), addressKey(address));
      }),
    );
  });

  test("has one key in any case of ASCII letters and any writing of its domain, and no other address has it", () => {
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
