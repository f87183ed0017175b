import type { ColumnTypes, Dialect, DialectName } from "../../database/index.ts";
import type { SchemaDialect, TableDescription } from "../../table/index.ts";
import { findDrift } from "./drift.ts";
import type { LiveTable } from "./live-schema.ts";

/** Characters around a column type in a printed statement. */
const [typeStart, typeEnd] = ["⟦", "⟧"];
const placeholder = (text: string): string => typeStart + text + typeEnd;

const printedTypes: ColumnTypes = {
  uuid: placeholder("uuid"),
  text: placeholder("text"),
  string: (length) => placeholder(`string(${length ?? ""})`),
  bool: placeholder("bool"),
  int: placeholder("int"),
  float: placeholder("float"),
  decimal: (precision, scale) => placeholder(`decimal(${precision}, ${scale})`),
  bytes: placeholder("bytes"),
  timestamp: placeholder("timestamp"),
  date: placeholder("date"),
  json: placeholder("json"),
};

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

/** Returns the name of the constant of a migration: `createIssues` for `create_issues`. */
export function camelCase(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}
