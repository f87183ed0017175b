// The table of renamed names: its page, and its names against the entry points. `npm run renamed` writes the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { snapshot, test } from "node:test";
import { type RenameRow } from "../src/cli/upgrade/rename.ts";
import { renameGroups, renames } from "../src/cli/upgrade/renames.ts";
import { root } from "./sources.ts";

snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);

/** Exported names by entry point. Types have the prefix `type `. */
const exported = JSON.parse(readFileSync(join(root, "test/entry-points.snapshot.json"), "utf8")) as Readonly<
  Record<string, readonly string[]>
>;

/** Returns the cells of a table with columns of the same width. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** Maximum number of names in a row of the page. */
const maxNames = 3;

/** Returns the rows of the page for a row of the table, so that no line of it is long. */
function pageRows({ module, before, after }: RenameRow): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (let index = 0; index < before.length; index += maxNames) {
    const newNames = after.length === 1 ? after : after.slice(index, index + maxNames);
    rows.push([module, before.slice(index, index + maxNames).join(", "), newNames.join(", ")]);
  }
  return rows;
}

const page = `# Renamed public names

Old public names with their present names. \`npx limmat upgrade\` replaces them in a project ([guide](guide/upgrade.md)), except where a
behaviour or stored data changed with the name. The [changelog](../CHANGELOG.md) lists the other changes.

${renameGroups
  .map(({ title, rows }) => `## ${title}\n\n${formatTable([["Module", "Old", "New"], ...rows.flatMap(pageRows)])}`)
  .join("\n\n")}
`;

test("docs/renamed.md lists the renames of the codemods", (context) => {
  context.assert.fileSnapshot(page, join(root, "docs/renamed.md"));
});

/** Returns true if a name is a value or a type of an entry point, or of the entry point of a namespace of `limmat`. */
function isExported(entryPoint: string, path: readonly string[]): boolean {
  const names = exported[entryPoint.replace("limmat", ".")] ?? [];
  if (names.includes(path.join(".")) || names.includes(`type ${path.join(".")}`)) return true;
  const [namespace = "", ...rest] = path;
  if (entryPoint !== "limmat" || rest.length === 0) return false;
  const folder = namespace.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  return exported[`./${folder}`] !== undefined && isExported(`limmat/${folder}`, rest);
}

/** Names of types in namespaces, which the snapshot of the entry points does not contain. */
const typesInNamespaces = new Set([
  "App.Application",
  "App.AppDefinition",
  "Configuration.Environment",
  "Configuration.Field",
  "OpenApi.ResponseDescription",
  "RequestLimit.Store",
  "Service.Metric",
  "Log.Reporters.console",
  "Log.Reporters.file",
  "Log.Reporters.defaults",
]);

test("no old name is exported, and every new name is", () => {
  const used = new Set<string>();
  for (const rename of renames) {
    if (rename.kind !== "export") continue;
    const { entryPoint, path, target } = rename;
    assert.ok(!isExported(entryPoint, path), `${path.join(".")} of ${entryPoint} is exported`);
    if (target === undefined) continue;
    const name = target.path.join(".").replace(/^Web\./, "");
    if (typesInNamespaces.has(name)) used.add(name);
    else assert.ok(isExported(target.entryPoint, target.path), `${name} of ${target.entryPoint} is not exported`);
  }
  assert.deepEqual(
    [...typesInNamespaces].filter((name) => !used.has(name)),
    [],
  );
});

test("a codemod has one meaning for each name", () => {
  const keys = renames.flatMap((rename) => {
    if (rename.kind === "export") return [`${rename.entryPoint} ${rename.path.join(".")}`];
    return rename.kind === "key" ? [rename.name] : rename.types.map((type) => `${type} ${rename.name}`);
  });
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
});
