import assert from "node:assert/strict";
import { test } from "node:test";
import { runDocs } from "./run-docs.ts";

/** Returns what the command prints. */
function docs(...args: readonly string[]): string {
  const lines: string[] = [];
  const output = { print: (line = ""): void => void lines.push(line), note: (): void => {}, isTerminal: false };
  assert.ok(runDocs(args, output) !== undefined);
  return lines.join("\n");
}

test("lists all pages with their titles", () => {
  assert.match(docs(), /^guide\/uploads +Uploads$/m);
});

test("prints a page by path, file name or title", () => {
  const page = docs("guide/uploads");
  assert.match(page, /^# Uploads\n/);
  for (const name of ["docs/guide/uploads.md", "uploads", "Uploads"]) assert.equal(docs(name), page, name);
  assert.match(docs("password", "reset"), /^# Password reset\n/i);
});

test("finds the sections that contain all words, first those with the words in the heading", () => {
  const found = docs("seed", "RUN").split("\n");
  assert.ok(found.length > 1 && found.length <= 20);
  assert.match(found[0] ?? "", /^\S+ +.*seed/i);
  assert.equal(docs("no-page-has-this-word"), "");
});

test("options show the usage", () => {
  const output = { print: (): void => {}, note: (): void => {}, isTerminal: false };
  assert.equal(runDocs(["--port=1"], output), undefined);
});
