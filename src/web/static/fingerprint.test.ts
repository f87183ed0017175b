import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fingerprint, fingerprintSync, isNameFingerprinted } from "./fingerprint.ts";

let root = "";
before(() => (root = mkdtempSync(join(tmpdir(), "limmat-fingerprint-"))));
after(() => rmSync(root, { recursive: true }));

const changed = new Date("2026-01-02T03:04:05Z");

/** Writes a file with this content and a fixed date, and returns its path. */
function file(name: string, content: string): string {
  const path = join(root, name);
  writeFileSync(path, content);
  utimesSync(path, changed, changed);
  return path;
}

describe("a cached fingerprint", () => {
  test("is kept, for a thousand files, until size or date changes", () => {
    const first = fingerprintSync(file("first", "1"));
    const others = Array.from({ length: 1000 }, (_, id) => file(`other-${id}`, String(id)));
    for (const other of others.slice(0, 999)) fingerprintSync(other);
    assert.equal(fingerprintSync(file("first", "2")), first);
    fingerprintSync(others[999] ?? assert.fail());
    assert.notEqual(fingerprintSync(file("first", "2")), first);
  });

  test("is shared by synchronous and asynchronous calls", async () => {
    const one = await fingerprint(file("one", "1"));
    assert.equal(fingerprintSync(file("one", "2")), one);
    assert.equal(await fingerprint(file("one", "3")), one);
    assert.notEqual(await fingerprint(file("one", "longer")), one);
  });
});

describe("the name of a file", () => {
  for (const name of [
    "app-3f2a9c1b.js",
    "app.3f2a9c1b.css",
    "/a/b-abcdefa1.js",
    "b-1abcdefa.js",
    "b-3f2a9c1b00.min.js",
    "/assets/built/app-KWJ46ML7.js",
  ])
    test(`${name} holds a fingerprint`, () => assert.ok(isNameFingerprinted(name)));

  for (const name of [
    "app-20260102.js",
    "app-defaced0.js/app.js",
    "app-deadbeef.js",
    "app-3f2a9c1.js",
    "app-3F2A9C1B.js",
    "app_3f2a9c1b.js",
    "app-3f2a9c1b",
    "app-3f2a9c1b.",
    "app-3f2a9c1g.js",
    "/assets/app-KWJ46ML7.js",
    "/assets/built/app-KWJ46ML1.js",
    "/assets/rebuilt/app-KWJ46ML7.js",
    "/assets/built/-KWJ46ML7.js",
    "/assets/built/app-KWJ46ML7.",
    "/assets/built/app-KWJ46ML7.js/app.js",
  ])
    test(`${name} holds none`, () => assert.ok(!isNameFingerprinted(name)));
});
