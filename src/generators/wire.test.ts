import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addItems } from "./add-items.ts";
import { addExport, type FileEdit, replaceOnce, wire } from "./wire.ts";

const listPrefix = /^export const list\b[^=\n]*=/m;

const edit: FileEdit = {
  path: "list.ts",
  imports: ['import { b } from "./b.ts";'],
  apply: addItems(listPrefix, "b"),
  snippet: "b",
};

/** Returns the edited text, or `undefined` if the edit could not be applied. */
function applyEdit(text: string, changes: Partial<FileEdit> = {}): string | undefined {
  const root = mkdtempSync(join(tmpdir(), "limmat-wire-"));
  try {
    writeFileSync(join(root, "list.ts"), text);
    const { files, manualEdits } = wire(root, [{ ...edit, ...changes }]);
    return manualEdits.length > 0 ? undefined : (files[0]?.text ?? text);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("adds an item to a one-line list, and its import after the others", () => {
  assert.equal(
    applyEdit('import { a } from "./a.ts";\n\nexport const list = [a];\n'),
    'import { a } from "./a.ts";\nimport { b } from "./b.ts";\n\nexport const list = [a, b];\n',
  );
});

test("adds an item to an empty list in a file without imports", () => {
  assert.equal(
    applyEdit("export const list: string[] = [];\n"),
    'import { b } from "./b.ts";\n\nexport const list: string[] = [b];\n',
  );
});

test("adds an item to a multi-line list, with or without a trailing comma", () => {
  for (const comma of [",", ""]) {
    assert.equal(
      applyEdit(`export const list = [\n  // first, and [not] last\n  a("]", \`\${"]"}\`)${comma}\n];\n`, {
        imports: [],
      }),
      `export const list = [\n  // first, and [not] last\n  a("]", \`\${"]"}\`),\n  b,\n];\n`,
    );
  }
});

test("expands a list that becomes too long to one item per line", () => {
  const items = Array.from({ length: 11 }, (_, index) => `quiteLong${index}`);
  assert.equal(
    applyEdit(`export const list = [${items.join(", ")}];\n`, { imports: [], apply: addItems(listPrefix, "another") }),
    `export const list = [\n${[...items, "another"].map((item) => `  ${item},\n`).join("")}];\n`,
  );
});

test("indents an item of several lines", () => {
  assert.equal(
    applyEdit("export const list = [\n  a,\n];\n", { imports: [], apply: addItems(listPrefix, "f({\n  x,\n})") }),
    "export const list = [\n  a,\n  f({\n    x,\n  }),\n];\n",
  );
});

const sitePrefix = /^const site\b[^=\n]*= Web\.choose\(/m;
const siteWith = (...items: readonly string[]): string | undefined =>
  items.reduce<string | undefined>(
    (text, item) => text && applyEdit(text, { apply: addItems(sitePrefix, item), imports: [] }),
    'const site = Web.choose([Web.get("/", welcome)], { middlewares: all });\n',
  );
const item = (length: number): string => `...resource({ name: "${"x".repeat(length)}" })`;

test("expands the options after the list if the line is too long, as the formatter does", () => {
  const home = 'const site = Web.choose([Web.get("/", welcome), ';
  const expanded = `${home}${item(39)}], {\n  middlewares: all,\n});\n`;
  assert.equal(siteWith("a"), `${home}a], { middlewares: all });\n`);
  assert.equal(siteWith(item(39)), expanded);
  assert.equal(siteWith(item(39), "a"), expanded.replace("], {", ", a], {"));
});

test("puts each argument on its own line if the list is too long for one line", () => {
  const home = '[Web.get("/", welcome), ';
  const object = "  { middlewares: all },\n);\n";
  assert.equal(siteWith(item(50)), `const site = Web.choose(\n  ${home}${item(50)}],\n${object}`);
  assert.equal(siteWith(item(39), item(1)), `const site = Web.choose(\n  ${home}${item(39)}, ${item(1)}],\n${object}`);
  const long = `  [\n    Web.get("/", welcome),\n    ${item(50)},\n    ${item(51)},\n  ],\n`;
  assert.equal(siteWith(item(50), item(51)), `const site = Web.choose(\n${long}${object}`);
});

test("expands the options on a line of their own if they are too long for it", () => {
  const options = `{\n  scope: "/api",\n  middlewares: [${"m".repeat(90)}],\n}`;
  const added = applyEdit(`export const list = choose([a], ${options});\n`, {
    apply: addItems(/^export const list = choose\(/m, "x".repeat(100)),
    imports: [],
  });
  assert.equal(
    added,
    `export const list = choose(\n  [a, ${"x".repeat(100)}],\n  ${options.replaceAll("\n", "\n  ")},\n);\n`,
  );
});

test("adds a name to the import of its module, and a package import after the other package imports", () => {
  const text = 'import { d } from "p";\nimport { a } from "./a.ts";\n\nexport const list = [];\n';
  const imports = ['import { b, c, d } from "p";', 'import { q } from "p/q";', 'import { z } from "./z.ts";'];
  assert.equal(
    applyEdit(text, { imports }),
    'import { b, c, d } from "p";\nimport { q } from "p/q";\nimport { a } from "./a.ts";\nimport { z } from "./z.ts";\n\nexport const list = [b];\n',
  );
});

test("applies several edits of one file in order", () => {
  const root = mkdtempSync(join(tmpdir(), "limmat-wire-"));
  try {
    writeFileSync(join(root, "list.ts"), "export const list = [];\n");
    const exportEdit = { ...edit, apply: addExport("a", "1"), imports: [] };
    const { files } = wire(root, [edit, exportEdit, edit, exportEdit]);
    assert.deepEqual(
      files.map(({ text }) => text),
      ['import { b } from "./b.ts";\n\nexport const list = [b];\nexport const a = 1;\n'],
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("does not repeat an export or a replacement", () => {
  const text = "export const list = [];\nexport const a = other;\n";
  assert.equal(applyEdit(text, { apply: addExport("a", "1") }), text);
  assert.equal(applyEdit(text, { apply: replaceOnce("other", /list/, "all") }), text);
  assert.equal(applyEdit(text, { apply: replaceOnce("all", /missing/, "all") }), undefined);
  assert.match(applyEdit(text, { apply: replaceOnce("all", /list/, "all") }) ?? "", /export const all = \[\];/);
});

test("recognizes an existing item in another layout", () => {
  const text = 'import { b } from "./b.ts";\n\nexport const list = [\n  f({\n    x: 1,\n  }),\n];\n';
  assert.equal(applyEdit(text, { apply: addItems(listPrefix, "f({ x: 1 })") }), text);
});

test("leaves an edit without an unambiguous place to the user", () => {
  for (const text of [
    "",
    "export const other = [a];\n",
    "export const list = make([a]);\n",
    "export const list = [a;\n",
    'export const list = ["unfinished];\n',
  ]) {
    assert.equal(applyEdit(text), undefined, text);
  }
});

test("leaves an edit of a missing file to the user", () => {
  assert.deepEqual(wire("/nowhere", [edit]), { files: [], manualEdits: [edit] });
});
