import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { root } from "./sources.ts";

const documents = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: root }).sort();

test("the links of the documents lead to files that exist", () => {
  const broken = documents.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, "");
    return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)|(?:src|href)="(?!https?:|#)([^"#]+)"/g)]
      .map(([, link, attribute]) => link ?? attribute ?? "")
      .filter((link) => !existsSync(join(root, dirname(path), link)))
      .map((link) => `${path}: ${link}`);
  });
  assert.deepEqual(broken, []);
});

test("the documents name only sources that exist", () => {
  const missing = documents
    .filter((path) => path !== "CHANGELOG.md")
    .flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/`((?:src|test|tools|docs|examples)\/[\w./-]+)`/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
    );
  assert.deepEqual(missing, []);
});
