import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { Password } from "limmat";

describe("the password policy", () => {
  const check = (password: string): string | undefined =>
    Password.policy(password, { email: "heidi.berg@example.com" });

  test("refuses passwords that attackers try first", () => {
    const common = `password password1 Password123 P@ssw0rd! p4ssword passwordpassword 12345678 0987654321 123123123 aaaaaaaa abababab
      qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx asdfghjkl wertyuio zxcvbnm1 abcdefgh iloveyou iloveyou2 welcome1 Welcome2026! admin1234
      letmein123 changeme football1 Sommer2024 trustno1 princess1 147258369 qwertzuiop azertyuiop q1w2e3r4 qazwsxedc zaq12wsx 159753159 123qweasd a1b2c3d4 m1chael1 ch3lsea1 ja5mine1
      ma7thew1 je$$ica1 m!chael1 heidi.berg heidi.berg1 heidi.berg@example.com
      HEIDI.BERG@example.com 2024password 1234abcd contraseña1`;
    for (const password of common.split(/\s+/)) assert.match(check(password) ?? "", /too easy/, password);
    assert.match(check("password".repeat(8)) ?? "", /too easy/);
    const untrimmed = { email: " Heidi.Berg@example.com " };
    assert.match(Password.policy("heidi.berg@example.com", untrimmed) ?? "", /too easy/);
    assert.equal(Password.policy("heidi.berg@example.com", {}), undefined);
  });

  test("requires eight characters of any kind", () => {
    for (const password of ["", "a", "seven77", "🔑🔑🔑🔑🔑🔑🔑"])
      assert.match(check(password) ?? "", /at least 8/, password);
    assert.match(check("x".repeat(4097)) ?? "", /at most 4096/);
    assert.match(check("x".repeat(1_000_000)) ?? "", /at most 4096/);
    assert.match(check("half \ud800 a pair") ?? "", /invalid character/);
    const accepted = [
      "correct horse",
      "xkcd 936",
      "gfhjkmvb",
      "tr0ub4dor&3",
      "🔑🐎🔋📎🔑🐎🔋🔒",
      "ein Passwort mit Wörtern",
      "73519046",
      " blanks  ",
      "gfhjkmvbgfhjkmvb",
      "aardvarkx7zq",
      "a".repeat(65),
    ];
    for (const password of [...accepted, "ab".repeat(2048)]) assert.equal(check(password), undefined, password);
  });

  test("terminates on any text", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => assert.ok(typeof check(text) !== "boolean")));
    for (const text of ["a1".repeat(2000), "!".repeat(64), "1!".repeat(30), "aaaaaaaab".repeat(7)]) check(text);
  });
});
