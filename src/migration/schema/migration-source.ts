import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigurationInternals } from "../../config/index.ts";
import type { Dialect, DialectName } from "../../database/index.ts";
import type { SchemaDialect, TableDescription } from "../../table/index.ts";
import { errors } from "../errors.ts";
import { namedTypes } from "../step.ts";
import { findDrift } from "./drift.ts";
import type { LiveTable } from "./live-schema.ts";

/** Characters around a column type in a printed statement. */
const [typeStart, typeEnd] = ["⟦", "⟧"];
const placeholder = (text: string): string => typeStart + text + typeEnd;

const printedTypes = namedTypes((name, ...sizes) =>
  placeholder(sizes.length === 0 ? name : `${name}(${sizes.join(", ")})`),
);

/** Dialect that prints column types as placeholders of a template. All databases accept the quotation mark. */
const printerOf = (name: DialectName): SchemaDialect => ({ name, identifierQuote: '"', columnTypes: printedTypes });

const databases: readonly DialectName[] = ["sqlite", "postgresql", "mariadb"];

/**
 * Returns the source of a migration that gives a database the described tables, or `undefined` if it has them already. The
 * source names column types by functions, so that it runs on all databases and stands alone.
 */
export function migrationSource(
  name: string,
  described: readonly TableDescription[],
  live: ReadonlyMap<string, LiveTable>,
  dialect: Dialect,
): string | undefined {
  const statementsOf = (database: DialectName): readonly string[] =>
    findDrift(described, live, dialect, printerOf(database)).flatMap(({ statements }) => statements);
  const byDatabase = databases.map((database) => [database, statementsOf(database)] as const);
  const [[, first] = ["sqlite", []]] = byDatabase;
  if (byDatabase.every(([, statements]) => statements.length === 0)) return undefined;
  const isPortable = byDatabase.every(([, statements]) => statements.join("\n") === first.join("\n"));
  const up = isPortable
    ? printList(first, "    ")
    : `{\n${byDatabase.map(([database, statements]) => `      ${database}: ${printList(statements, "      ")},\n`).join("")}    }`;
  const down = downOf(first, isPortable);
  return `import { Migration } from "limmat";

export const ${camelCase(name)} = Migration.make("${name}", [
  Migration.step(
    ${JSON.stringify(name.replaceAll("_", " "))},
    ${up},${down === undefined ? "" : `\n    { down: ${printList(down, "    ").replace(/^\(.*\) => /, "")} },`}
  ),
]);
`;
}

/** Returns the statements that drop the created tables, or `undefined` if the migration does anything else. */
function downOf(statements: readonly string[], isPortable: boolean): readonly string[] | undefined {
  const created = statements.filter((statement) => !/^create (?:unique )?index/.test(statement));
  const names = created.map((statement) => /^create table "(\w+)"/.exec(statement)?.[1]);
  if (!isPortable || names.includes(undefined)) return undefined;
  return names.toReversed().map((name) => `drop table "${name}"`);
}

/** Prints statements as a list, in a function of the column types that they use. SQL comments become comments of the source. */
function printList(statements: readonly string[], indent: string): string {
  const types = new Set(
    statements.flatMap((statement) => [...statement.matchAll(/⟦(\w+)/g)].map(([, type = ""]) => type)),
  );
  const lines = statements.map((statement) => {
    if (statement.startsWith("-- ")) return `${indent}  // ${plainText(statement.slice(3))}\n`;
    const indented = statement.replaceAll("\n", `\n${indent}  `);
    return `${indent}  ${statement.includes("\n") || types.size > 0 || /["\\]/.test(statement) ? printTemplate(indented) : JSON.stringify(statement)},\n`;
  });
  const list = lines.length === 0 ? "[]" : `[\n${lines.join("")}${indent}]`;
  return types.size === 0 ? list : `({ ${[...types].join(", ")} }) => ${list}`;
}

const plainText = (text: string): string =>
  text.replaceAll("\n", " ").replaceAll(typeStart, "").replaceAll(typeEnd, "");

/** Prints a text as a template with the column types as its values. */
function printTemplate(text: string): string {
  const escaped = text.replace(/[\\`]|\$\{/g, "\\$&");
  return `\`${escaped.replaceAll(typeStart, "${").replaceAll(typeEnd, "}")}\``;
}

function camelCase(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Writes a migration to `database/migration/<name>.ts` of the project, and adds it to the list of `database/migration.ts`.
 * Returns lines for the user. Throws E_MIGRATION_FILE_EXISTS.
 */
export function writeMigration(name: string, source: string): readonly string[] {
  const root = ConfigurationInternals.root();
  const fileName = name.replaceAll("_", "-");
  const path = `database/migration/${fileName}.ts`;
  mkdirSync(join(root, dirname(path)), { recursive: true });
  try {
    writeFileSync(join(root, path), source, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw errors.E_MIGRATION_FILE_EXISTS(path);
    }
    throw error;
  }
  const constant = camelCase(name);
  const importLine = `import { ${constant} } from "./migration/${fileName}.ts";`;
  const listPath = "database/migration.ts";
  const list = readText(join(root, listPath));
  const edited = list === undefined ? undefined : addToList(list, importLine, constant);
  if (edited === undefined) {
    return [
      `Wrote ${path}.`,
      `Add it to ${listPath}:`,
      `  ${importLine}`,
      `  export const migrations = [… ${constant}];`,
    ];
  }
  writeFileSync(join(root, listPath), edited);
  return [`Wrote ${path}, and added it to ${listPath}.`];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Adds an import and an item of the array `migrations`. Returns `undefined` for a file of another form. */
function addToList(text: string, importLine: string, item: string): string | undefined {
  const match = /^export const migrations\b[^=\n]*=\s*\[([^[\]]*)\]/m.exec(text);
  if (match === null) return undefined;
  const [whole, items = ""] = match;
  const open = match.index + whole.length - items.length - 1;
  const isMultiline = items.includes("\n");
  const trimmed = items.trimEnd().replace(/,$/, "");
  const separator = trimmed.trim() === "" ? "" : isMultiline ? ",\n  " : ", ";
  const end = isMultiline ? ",\n" : "";
  const edited = `${text.slice(0, open)}${trimmed}${separator}${item}${end}${text.slice(open + items.length)}`;
  const lastImport = [...edited.matchAll(/^import .*$/gm)].at(-1);
  if (lastImport === undefined) return `${importLine}\n\n${edited}`;
  const position = lastImport.index + lastImport[0].length;
  return `${edited.slice(0, position)}\n${importLine}${edited.slice(position)}`;
}
