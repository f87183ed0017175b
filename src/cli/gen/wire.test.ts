import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Edit, wire } from "./wire.ts";

const edit: Edit = {
  path: "list.ts",
  imports: ['import { b } from "./b.ts";'],
  before: /^export const list\b[^=\n]*=/m,
  item: "b",
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
    wired(`export const list = [${items.join(", ")}];\n`, { imports: [], item: "another" }),
    `export const list = [\n${[...items, "another"].map((item) => `  ${item},\n`).join("")}];\n`,
  );
});

test("an item of several lines keeps its shape", () => {
  assert.equal(
    wired("export const list = [\n  a,\n];\n", { imports: [], item: "f({\n  x,\n})" }),
    "export const list = [\n  a,\n  f({\n    x,\n  }),\n];\n",
  );
});

test("where the list is the first argument, the others follow on lines of their own", () => {
  const before = /^const site\b[^=\n]*= Web\.choose\(/m;
  const item = `...resource({ name: "${"x".repeat(50)}" })`;
  assert.equal(
    wired('const site = Web.choose([Web.get("/", welcome)], { middlewares: all });\n', { before, item, imports: [] }),
    `const site = Web.choose(\n  [Web.get("/", welcome), ${item}],\n  { middlewares: all },\n);\n`,
  );
});

test("what is there already is left alone, however it is laid out", () => {
  const text = 'import { b } from "./b.ts";\n\nexport const list = [\n  f({\n    x: 1,\n  }),\n];\n';
  assert.equal(wired(text, { item: "f({ x: 1 })" }), text);
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
