// Checks the types of an application with 100 tables and 300 relations.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";

const tableCount = 100;
/** Limits of each table. Counts instead of times, as counts are equal on every machine: all tables take about 2 s. */
const maxInstantiations = 2000;
const maxTypes = 280;

const folder = mkdtempSync(join(tmpdir(), "limmat-table-types-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the source of one of `count` tables, which is related to three others in a circle, and of a query of all of them. */
function tableSource(index: number, count: number): string {
  const at = (offset: number): string => `table${(index + offset) % count}`;
  const name = at(0);
  return `
const ${name} = Table.make("${name}", {
  schema: Schema.record({ title${index}: Schema.string(), state: Schema.oneOf(["open", "closed"]), day: Schema.optional(Schema.date()) }),
  columns: { parent_id: Row.uuid, other_id: Row.optional(Row.uuid) },
  timestamps: true,
  version: true,
  relations: {
    parent: () => Table.belongsTo(${at(1)}),
    children: () => Table.hasMany(${at(count - 1)}, { column: "parent_id" }),
    tags: () => Table.manyToMany(${at(7)}, { through: "${name}_tags" }),
  },
});
export async function use${index}(database: Database): Promise<string | undefined> {
  const created = await ${name}.insert(database, { title${index}: "t", state: "open", parent_id: "p" });
  const [page] = await ${name}.search(database, {}, { with: ["parent", "tags"] });
  const found = await ${name}.find(database, created.id, { with: [{ parent: ["tags", { children: ["parent"] }] }], counts: ["tags"] });
  // @ts-expect-error: not loaded
  void found.children;
  await ${name}.update(database, found, { state: "closed" });
  return page[0]?.parent?.title${(index + 1) % count} ?? found.parent?.children[0]?.parent?.state;
}
`;
}

test("each of 100 tables with 300 relations costs the type checker at most 2,000 instantiations and 280 types", () => {
  const [small, large] = [countTypes(tableCount / 5), countTypes(tableCount)];
  const perTable = (key: string): number => ((large.get(key) ?? 0) - (small.get(key) ?? 0)) / (tableCount * 0.8);
  assert.ok(perTable("Types") > 0 && perTable("Types") <= maxTypes, `${perTable("Types")} types`);
  assert.ok(perTable("Instantiations") <= maxInstantiations, `${perTable("Instantiations")} instantiations`);
});

/** Checks the types of an application with this many tables. Returns the statistics of the type checker. */
function countTypes(count: number): ReadonlyMap<string, number> {
  const source = (path: string): string => JSON.stringify(join(root, "src", path));
  const imports = `import { Schema } from ${source("schema/index.ts")};
import { type Database, Row } from ${source("database/index.ts")};
import { Table } from ${source("entry-points/table.ts")};
`;
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        declaration: false,
        isolatedDeclarations: false,
        typeRoots: [join(root, "node_modules/@types")],
        rootDir: "/",
      },
      include: ["tables.ts"],
    }),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const tables = Array.from({ length: count }, (_, index) => tableSource(index, count));
  writeFileSync(join(folder, "tables.ts"), [imports, ...tables].join("\n"));
  const typescript = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [typescript, "-p", folder, "--extendedDiagnostics"], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout.slice(0, 2000));
  return new Map([...stdout.matchAll(/^(\w+):\s+(\d+)$/gm)].map(([, key = "", value]) => [key, Number(value)]));
}
