import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as limmat from "../src/index.ts";
import { root } from "./sources.ts";

const documents = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: root }).sort();

test("the links of the documents lead to files that exist", () => {
  const broken = documents.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
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

test("the page of the specification's names lists names that exist", () => {
  const page = readFileSync(join(root, "docs/reference/specification.md"), "utf8");
  const cells = [...page.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]\w*(?:\.\w+)+)`/g)].map(([, name = ""]) => name));
  assert.ok(names.length > 60);
  const exists = (name: string): boolean =>
    name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], limmat) !==
    undefined;
  // Types have no value at run time.
  const types = ["Web.Rest.ResourceService"];
  assert.deepEqual(
    names.filter((name) => !types.includes(name) && !exists(name)),
    [],
  );
});
