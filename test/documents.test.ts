import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

test("the links of the documents lead to headings that exist", () => {
  const pages = execFileSync("git", ["ls-files", "--", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const textOf = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  const headings = new Map(pages.map((path) => [path, headingsOf(textOf(path))]));
  const broken = pages.flatMap((path) =>
    [...textOf(path).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].flatMap(
      ([link, target = "", heading = ""]) => {
        const known = headings.get(target === "" ? path : join(dirname(path), target));
        return known === undefined || known.has(heading) ? [] : `${path}: ${link}`;
      },
    ),
  );
  assert.deepEqual(broken, []);
});

/** Returns the anchors of headings, as GitHub makes them. */
const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

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
