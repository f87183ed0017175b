import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { assert as assertProperty, asyncProperty, string } from "fast-check";
import { Storage } from "limmat";
import { rounds } from "../../../test/rounds.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const storage = Storage.memory();
const storedFilename = async (filename: string): Promise<string> => (await storage.put("", { filename })).filename;
const storedType = async (contentType: string): Promise<string> => (await storage.put("", { contentType })).contentType;

describe("the metadata of a stored file", () => {
  before(() => storage.start({ services: [] }));

  for (const [input, expected] of [
    ["report.pdf", "report.pdf"],
    ["  Grüße 💡.txt ", "Grüße 💡.txt"],
    ["/etc/passwd", "passwd"],
    ["../../x.txt", "x.txt"],
    ["C:\\Users\\ada\\x.txt", "x.txt"],
    ["..", "file"],
    [".", "file"],
    ["", "file"],
    ["a/", "file"],
    ["a\0\r\nb.txt", "ab.txt"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    [".htaccess", ".htaccess"],
    [`${"a".repeat(300)}.tar`, `${"a".repeat(196)}.tar`],
    [`${"💡".repeat(150)}.x`, `${"💡".repeat(99)}.x`],
    ["a".repeat(200), "a".repeat(200)],
    [`${"a".repeat(197)}.tar`, `${"a".repeat(196)}.tar`],
    [`a.b ${"c".repeat(200)}`, `a.b ${"c".repeat(196)}`],
    [`${"a".repeat(300)}.${"b".repeat(15)}`, `${"a".repeat(184)}.${"b".repeat(15)}`],
    [`${"a".repeat(300)}.${"b".repeat(16)}`, "a".repeat(200)],
  ] as const) {
    test(`the filename ${JSON.stringify(input.slice(0, 30))} is stored as ${JSON.stringify(expected.slice(0, 30))}`, async () => {
      assert.equal(await storedFilename(input), expected);
    });
  }

  test("any filename is stored as one line without folders, of at most 200 characters", async () => {
    await assertProperty(
      asyncProperty(string({ unit: anyCharacter, maxLength: 400 }), async (input) => {
        const storedName = await storedFilename(input);
        assert.ok(storedName.length > 0 && storedName.length <= 200 && storedName.isWellFormed());
        assert.doesNotMatch(storedName, /[/\\\p{Cc}]/u);
        assert.equal(await storedFilename(storedName), storedName);
      }),
      { numRuns: rounds(300) },
    );
  });

  for (const [input, expected] of [
    ["image/png", "image/png"],
    ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ['multipart/related; boundary="a b"', 'multipart/related; boundary="a b"'],
    ["", "application/octet-stream"],
    ["html", "application/octet-stream"],
    ["text/html\r\nset-cookie: a=b", "application/octet-stream"],
    ["text/html\r\n; charset=utf-8", "application/octet-stream"],
    ["text/html\f; charset=utf-8", "application/octet-stream"],
    ["text/html;\u2028charset=utf-8", "application/octet-stream"],
    ["text/html;\u00a0charset=utf-8", "application/octet-stream"],
    ["text/plain \t;\tcharset=utf-8", "text/plain \t;\tcharset=utf-8"],
    ["text/html, image/png", "application/octet-stream"],
    [`a/${"b".repeat(300)}`, "application/octet-stream"],
    [`a/${"b".repeat(199)}`, "application/octet-stream"],
    [`a/${"b".repeat(198)}`, `a/${"b".repeat(198)}`],
    [" image/png ", "image/png"],
    ["/png", "application/octet-stream"],
    ["image/", "application/octet-stream"],
    ["a/b;=c", "application/octet-stream"],
    ["a/b;c=", "application/octet-stream"],
    ["a/b;c=d;e=f", "a/b;c=d;e=f"],
    ['a/b;c=""', 'a/b;c=""'],
    ["a/bx;c=d", "a/bx;c=d"],
    ["a/b?;c=d", "application/octet-stream"],
  ] as const) {
    test(`the media type ${JSON.stringify(input.slice(0, 40))} is stored as ${expected}`, async () => {
      assert.equal(await storedType(input), expected);
    });
  }

  test("the name of a storage must be valid in table names", () => {
    for (const name of ["", "Files", "1a", "a-b", "a;drop table x", "a".repeat(41)]) {
      assert.throws(() => Storage.memory({ name }), { code: "E_STORAGE_NAME" });
    }
  });
});
