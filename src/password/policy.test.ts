import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { Password } from "limmat";
import { configuration } from "limmat/testing";

const refusal = /too easy/;
const check = async (password: string): Promise<string> =>
  (await Password.policy(password, { email: "heidi.berg@example.com" })) ?? "accepted";

describe("the password policy", () => {
  test("refuses the 3,000 best-known passwords of eight characters and more of two rankings (ASVS 6.2.4)", async () => {
    const file = join(import.meta.dirname, "../../test/fixtures/common-passwords.txt");
    const rankings = readFileSync(file, "utf8")
      .split(/^# .*\n/m)
      .slice(1);
    assert.equal(rankings.length, 2);
    for (const ranking of rankings) {
      const passwords = ranking.trimEnd().split("\n");
      assert.equal(new Set(passwords).size, 3000);
      const accepted: string[] = [];
      for (const password of passwords) {
        assert.ok(Array.from(password).length >= 8, password);
        if (!refusal.test(await check(password))) accepted.push(password);
      }
      assert.deepEqual(accepted, []);
    }
  });

  test("refuses passwords that attackers try first", async () => {
    const common = `password password1 Password123 P@ssw0rd! p4ssword passwordpassword 12345678 0987654321 123123123 aaaaaaaa abababab
      qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx asdfghjkl wertyuio zxcvbnm1 abcdefgh iloveyou iloveyou2 welcome1 Welcome2026! admin1234
      letmein123 changeme football1 Sommer2024 trustno1 princess1 147258369 qwertzuiop azertyuiop q1w2e3r4 qazwsxedc zaq12wsx 159753159 123qweasd a1b2c3d4 m1chael1 ch3lsea1 ja5mine1
      ma7thew1 je$$ica1 m!chael1 heidi.berg heidi.berg1 heidiberg2 Heidi.Berg-2026 heidi.berg@example.com
      HEIDI.BERG@example.com 2024password 1234abcd contraseña1 Corvette1! fu7u4a#$$$ inshallah schatz12 Schatz2024!`;
    for (const password of common.split(/\s+/)) assert.match(await check(password), refusal, password);
    assert.match(await check("password".repeat(8)), refusal);
    const untrimmed = { email: " Heidi.Berg@example.com " };
    assert.match((await Password.policy("heidi.berg@example.com", untrimmed)) ?? "", refusal);
    assert.equal(await Password.policy("heidi.berg@example.com", {}), undefined);
  });

  test("refuses dates of birth", async () => {
    for (const password of ["24031987", "03241987", "19870324", "31122026"])
      assert.match(await check(password), refusal);
    for (const password of ["32131987", "24032187", "19871324", "240319871"])
      assert.equal(await check(password), "accepted", password);
  });

  test("requires eight characters of any kind", async () => {
    for (const password of ["", "a", "seven77", "🔑🔑🔑🔑🔑🔑🔑"])
      assert.match(await check(password), /at least 8/, password);
    assert.match(await check("x".repeat(4097)), /at most 4096/);
    assert.match(await check("x".repeat(1_000_000)), /at most 4096/);
    assert.match(await check("half \ud800 a pair"), /invalid character/);
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
    for (const password of [...accepted, "ab".repeat(2048)]) assert.equal(await check(password), "accepted", password);
  });

  test("terminates on any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) =>
        assert.equal(typeof (await check(text)), "string"),
      ),
    );
    for (const text of ["a1".repeat(2000), "!".repeat(64), "1!".repeat(30), "aaaaaaaab".repeat(7)]) await check(text);
    // Every order of twelve words would be 479 million combinations.
    const words = Array.from({ length: 12 }, (_, index) => `wor${"abcdefghijkl"[index] ?? ""}x`);
    assert.match((await Password.policy(words.join(""), { words })) ?? "", refusal);
    assert.equal(await Password.policy(`${words.join("")}qv`, { words }), undefined);
  });
});

describe("the name of the application", () => {
  const guessable = [
    "helvetia-tools",
    "HelvetiaTools",
    "helvetiatools2026!",
    "h3lv3tiatools",
    "helvetia-toolspassword",
  ];

  test("makes a password easy to guess: the hosts of APP_URL and ALLOWED_HOSTS", async () => {
    for (const password of guessable) assert.equal(await check(password), "accepted", password);
    for (const [key, value] of [
      ["APP_URL", "https://www.helvetia-tools.co.uk/shop"],
      ["ALLOWED_HOSTS", "localhost, *.helvetia-tools.ch"],
    ] as const) {
      using _ = configuration({ [key]: value });
      for (const password of guessable) assert.match(await check(password), refusal, `${key} ${password}`);
      for (const password of ["helvetiatools-kd83jq", "www-localhost", "co uk co uk ch"])
        assert.equal(await check(password), "accepted", `${key} ${password}`);
    }
    {
      using _ = configuration({ ALLOWED_HOSTS: "www.co.uk, helvetia-tools.example, 10.20.30.40" });
      for (const password of ["helvetia-tools", "helvetia-tools-1"]) assert.match(await check(password), refusal);
      for (const password of ["1example96", "www24680", "1co24680"])
        assert.equal(await check(password), "accepted", password);
    }
    for (const value of ["no URL", "http://10.20.30.40", "http://[::1]"]) {
      using _ = configuration({ APP_URL: value });
      assert.equal(await check("correct horse"), "accepted", value);
    }
  });

  test("makes a password easy to guess: the name in package.json", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "limmat-policy-"));
    t.after(() => rmSync(folder, { recursive: true }));
    using _ = configuration({ ROOT_PATH: folder });
    for (const [content, expected] of [
      [`{"name":"@acme/helvetia-tools"}`, refusal],
      [`{"name":"helvetia-tools"}`, refusal],
      [`{"name":7}`, /accepted/],
      [`{}`, /accepted/],
      [`{`, /accepted/],
    ] as const) {
      writeFileSync(join(folder, "package.json"), content);
      for (const password of guessable) assert.match(await check(password), expected, `${content} ${password}`);
    }
  });

  test("can be extended by words of the organisation (ASVS 6.2.11)", async () => {
    const words = ["Acme", "Rocket", "box", "AcmeRocketShop"];
    const refused = ["AcmeRocket", "rocket2026!", "acme-rocket-1", "4cmepassword", "acmeacme1", "box24680"];
    for (const password of [...refused, "acmerocketshoppassword"])
      assert.match((await Password.policy(password, { words })) ?? "", refusal, password);
    for (const password of ["acme kd83jq", "boxkd83jq", "rocketeers"])
      assert.equal(await Password.policy(password, { words }), undefined, password);
  });
});
