import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addItems } from "./add-items.ts";
import { addValue, type Edit, replace, wire } from "./wire.ts";

const before = /^export const list\b[^=\n]*=/m;

const edit: Edit = {
  path: "list.ts",
  imports: ['import { b } from "./b.ts";'],
  change: addItems(before, "b"),
  shown: "b",
};

/** The text after the edit; `undefined` when it could not be made. */
function wired(text: string, changes: Partial<Edit> = {}): string | undefined {
  const root = mkdtempSync(join(tmpdir(), "limmat-wire-"));
  try {
    writeFileSync(join(root, "list.ts"), text);
    const { files, left } = wire(root, [{ ...edit, ...changes }]);
    return left.length > 0 ? undefined : (files[0]?.text ?? text);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("an item is added to a list on one line, and its import after the others", () => {
  assert.equal(
    wired('import { a } from "./a.ts";\n\nexport const list = [a];\n'),
    'import { a } from "./a.ts";\nimport { b } from "./b.ts";\n\nexport const list = [a, b];\n',
  );
});

test("an item is added to an empty list, and to a file without imports", () => {
  assert.equal(
    wired("export const list: string[] = [];\n"),
    'import { b } from "./b.ts";\n\nexport const list: string[] = [b];\n',
  );
});

test("an item is added to a list over several lines, with or without a comma at its end", () => {
  for (const end of [",", ""]) {
    assert.equal(
      wired(`export const list = [\n  // first, and [not] last\n  a("]", \`\${"]"}\`)${end}\n];\n`, { imports: [] }),
      `export const list = [\n  // first, and [not] last\n  a("]", \`\${"]"}\`),\n  b,\n];\n`,
    );
  }
});

test("a list that becomes too long is broken, one item per line", () => {
  const items = Array.from({ length: 11 }, (_, index) => `quiteLong${index}`);
  assert.equal(
    wired(`export const list = [${items.join(", ")}];\n`, { imports: [], change: addItems(before, "another") }),
    `export const list = [\n${[...items, "another"].map((item) => `  ${item},\n`).join("")}];\n`,
  );
});

test("an item of several lines keeps its shape", () => {
  assert.equal(
    wired("export const list = [\n  a,\n];\n", { imports: [], change: addItems(before, "f({\n  x,\n})") }),
    "export const list = [\n  a,\n  f({\n    x,\n  }),\n];\n",
  );
});

const site = /^const site\b[^=\n]*= Web\.choose\(/m;
const siteOf = (...changes: readonly string[]): string | undefined =>
  changes.reduce<string | undefined>(
    (text, item) => text && wired(text, { change: addItems(site, item), imports: [] }),
    'const site = Web.choose([Web.get("/", welcome)], { middlewares: all });\n',
  );
const item = (length: number): string => `...resource({ name: "${"x".repeat(length)}" })`;

test("where the list is the first argument, the object behind it is opened, as the formatter does", () => {
  const home = 'const site = Web.choose([Web.get("/", welcome), ';
  const opened = `${home}${item(39)}], {\n  middlewares: all,\n});\n`;
  assert.equal(siteOf("a"), `${home}a], { middlewares: all });\n`);
  assert.equal(siteOf(item(39)), opened);
  assert.equal(siteOf(item(39), "a"), opened.replace("], {", ", a], {"));
});

test("where that is too long as well, the others follow on lines of their own", () => {
  const home = '[Web.get("/", welcome), ';
  const object = "  { middlewares: all },\n);\n";
  assert.equal(siteOf(item(50)), `const site = Web.choose(\n  ${home}${item(50)}],\n${object}`);
  assert.equal(siteOf(item(39), item(1)), `const site = Web.choose(\n  ${home}${item(39)}, ${item(1)}],\n${object}`);
  const long = `  [\n    Web.get("/", welcome),\n    ${item(50)},\n    ${item(51)},\n  ],\n`;
  assert.equal(siteOf(item(50), item(51)), `const site = Web.choose(\n${long}${object}`);
});

test("a name is added to the import of its module, and the import of a package to those of packages", () => {
  const text = 'import { d } from "p";\nimport { a } from "./a.ts";\n\nexport const list = [];\n';
  const imports = ['import { b, c, d } from "p";', 'import { q } from "p/q";', 'import { z } from "./z.ts";'];
  assert.equal(
    wired(text, { imports }),
    'import { b, c, d } from "p";\nimport { q } from "p/q";\nimport { a } from "./a.ts";\nimport { z } from "./z.ts";\n\nexport const list = [b];\n',
  );
});

test("several edits of one file are made one after the other", () => {
  const root = mkdtempSync(join(tmpdir(), "limmat-wire-"));
  try {
    writeFileSync(join(root, "list.ts"), "export const list = [];\n");
    const value = { ...edit, change: addValue("a", "1"), imports: [] };
    const { files } = wire(root, [edit, value, edit, value]);
    assert.deepEqual(
      files.map(({ text }) => text),
      ['import { b } from "./b.ts";\n\nexport const list = [b];\nexport const a = 1;\n'],
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a value that is declared and a text that is replaced are left alone", () => {
  const text = "export const list = [];\nexport const a = other;\n";
  assert.equal(wired(text, { change: addValue("a", "1") }), text);
  assert.equal(wired(text, { change: replace("other", /list/, "all") }), text);
  assert.equal(wired(text, { change: replace("all", /missing/, "all") }), undefined);
  assert.match(wired(text, { change: replace("all", /list/, "all") }) ?? "", /export const all = \[\];/);
});

test("what is there already is left alone, however it is laid out", () => {
  const text = 'import { b } from "./b.ts";\n\nexport const list = [\n  f({\n    x: 1,\n  }),\n];\n';
  assert.equal(wired(text, { change: addItems(before, "f({ x: 1 })") }), text);
});

test("a place that is not found for sure is left to a person", () => {
  for (const text of [
    "",
    "export const other = [a];\n",
    "export const list = make([a]);\n",
    "export const list = [a;\n",
    'export const list = ["unfinished];\n',
  ]) {
    assert.equal(wired(text), undefined, text);
  }
});

test("a file that is not there is left to a person", () => {
  assert.deepEqual(wire("/nowhere", [edit]), { files: [], left: [edit] });
});
