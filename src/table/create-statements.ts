import type { Dialect } from "../database/index.ts";
import { errors } from "./errors.ts";
import { fullTextIndex } from "./search/search-index.ts";
import { defaultDecimal, maxIdentifierLength } from "./columns.ts";
import {
  type ColumnDescription,
  describe,
  type ForeignKeyDescription,
  type TableDescription,
  withJoinTables,
} from "./description.ts";
import type { RelatedTable } from "./relation.ts";

/** Dialect as far as `create table` needs it. */
export type SchemaDialect = Pick<Dialect, "name" | "identifierQuote" | "columnTypes">;

/**
 * Returns the SQL statements that create tables with their constraints, indexes and full-text indexes, and the join tables
 * of their relations.
 * A table stands after those that its foreign keys refer to. Foreign keys of tables that refer to each other are added at
 * the end.
 *
 * @throws E_TABLE for a relation that cannot be stored.
 * @example
 * Table.createStatements([projects, issues], database.dialect());
 */
export function createStatements(tables: RelatedTable | readonly RelatedTable[], dialect: SchemaDialect): string[] {
  const described = [tables].flat().map((table) => describe(table));
  return statementsFor(described, dialect);
}

/** Returns the statements that create described tables. */
export function statementsFor(tables: readonly TableDescription[], dialect: SchemaDialect): string[] {
  const byName = new Map(withJoinTables(tables).map((table) => [table.name, table]));
  assertDistinctNames([...byName.values()]);
  const created = new Set<string>();
  const late: string[] = [];
  const statements = orderedTables(byName).flatMap((table) => {
    created.add(table.name);
    const isLate = (key: ForeignKeyDescription): boolean =>
      dialect.name !== "sqlite" && byName.has(key.table) && !created.has(key.table);
    for (const key of table.foreignKeys.filter(isLate)) {
      late.push(`alter table ${quoteName(table.name, dialect)} add ${foreignKeyText(key, dialect)}`);
    }
    const keys = table.foreignKeys.filter((key) => !isLate(key));
    const fullText = table.fullText.length === 0 ? [] : fullTextIndex(table.name, table.fullText).up[dialect.name];
    return [
      tableText(table, keys, dialect),
      ...table.indexes.map((names) => indexText(table, names, dialect)),
      ...fullText,
    ];
  });
  return [...statements, ...late];
}

/**
 * Throws E_TABLE if an index has the name of a table or of another index. Tables and indexes share one namespace on PostgreSQL
 * and SQLite. PostgreSQL names the indexes of its constraints itself, and so does MariaDB, after their first column.
 */
function assertDistinctNames(tables: readonly TableDescription[]): void {
  const owners = new Map(tables.map(({ name }) => [name.toLowerCase(), `table "${name}"`]));
  const addName = (table: string, name: string): void => {
    const owner = owners.get(name.toLowerCase());
    if (owner !== undefined) {
      throw errors.E_TABLE(
        table,
        `its index "${name}" would have the name of the ${owner}. Rename a column or a table.`,
      );
    }
    owners.set(name.toLowerCase(), `index of "${table}"`);
  };
  for (const { name, unique, fullText } of tables) {
    const constraints = new Set([`${name}_pkey`, ...unique.map((columns) => `${[name, ...columns].join("_")}_key`)]);
    for (const constraint of constraints) addName(name, constraint);
    if (fullText.length > 0) for (const end of ["", "_rows", "_index"]) addName(name, `${name}_full_text${end}`);
  }
  for (const { name, indexes, unique } of tables) {
    for (const index of indexes.map((columns) => indexName(name, columns))) {
      if (!unique.some(([first]) => first === index)) addName(name, index);
      else
        throw errors.E_TABLE(name, `its index "${index}" would have the name of a unique column. Rename the column.`);
    }
  }
}

/** Returns tables so that each stands after those that its foreign keys refer to, except in a circle. */
function orderedTables(tables: ReadonlyMap<string, TableDescription>): readonly TableDescription[] {
  const ordered = new Set<TableDescription>();
  const visited = new Set<string>();
  const visit = (table: TableDescription): void => {
    if (visited.has(table.name)) return;
    visited.add(table.name);
    for (const { table: name } of table.foreignKeys) {
      const target = tables.get(name);
      if (target !== undefined) visit(target);
    }
    ordered.add(table);
  };
  for (const table of tables.values()) visit(table);
  return [...ordered];
}

function tableText(
  table: TableDescription,
  foreignKeys: readonly ForeignKeyDescription[],
  dialect: SchemaDialect,
): string {
  const list = (names: readonly string[]): string => names.map((name) => quoteName(name, dialect)).join(", ");
  const lines = [
    ...table.columns.map((column) => columnText(column, dialect)),
    `primary key (${list(table.primaryKey)})`,
    // Unnamed: `isUniqueViolation` expects MariaDB's name, which is the first column.
    ...table.unique.map((names) => `unique (${list(names)})`),
    ...foreignKeys.map((key) => foreignKeyText(key, dialect)),
  ];
  return `create table ${quoteName(table.name, dialect)} (\n  ${lines.join(",\n  ")}\n)`;
}

/**
 * Returns the statement that creates an index. Lists sort NULL below all values, for which PostgreSQL uses only an index
 * that says so.
 */
export function indexText(table: TableDescription, names: readonly string[], dialect: SchemaDialect): string {
  const isNullable = (name: string): boolean =>
    table.columns.find((column) => column.name === name)?.isNullable === true;
  const columns = names.map((name) => {
    const nulls = dialect.name === "postgresql" && names.length > 1 && isNullable(name) ? " nulls first" : "";
    return quoteName(name, dialect) + nulls;
  });
  const index = quoteName(indexName(table.name, names), dialect);
  return `create index ${index} on ${quoteName(table.name, dialect)} (${columns.join(", ")})`;
}

/** Returns the name of an index: table and columns, shortened to the limit of PostgreSQL. */
export function indexName(table: string, columns: readonly string[]): string {
  const name = [table, ...columns].join("_");
  if (name.length <= maxIdentifierLength) return name;
  // FNV-1a, so that shortened names stay distinct.
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return `${name.slice(0, maxIdentifierLength - 9)}_${hash.toString(16).padStart(8, "0")}`;
}

/** Returns the definition of a column, as in `create table` and `alter table … add column`. */
export function columnText(column: ColumnDescription, dialect: SchemaDialect): string {
  const name = quoteName(column.name, dialect);
  const parts = [name, columnTypeText(column, dialect)];
  if (column.default !== undefined) parts.push(`default ${defaultText(column.default, dialect)}`);
  if (!column.isNullable) parts.push("not null");
  const condition = checkCondition(name, column, dialect);
  if (condition !== undefined) parts.push(`check (${condition})`);
  return parts.join(" ");
}

/**
 * Returns the condition of the check of a column: one of some texts, or a decimal in a range; `undefined` without one.
 * `operand` is the quoted name, or an expression for the value.
 */
export function checkCondition(
  operand: string,
  { oneOf, min, max }: Pick<ColumnDescription, "oneOf" | "min" | "max">,
  dialect: SchemaDialect,
): string | undefined {
  if (oneOf !== undefined) return `${operand} in (${oneOf.map((text) => literal(text)).join(", ")})`;
  // SQLite stores decimals as texts. Rounding to a floating-point number keeps their order.
  const number = dialect.name === "sqlite" ? `cast(${operand} as real)` : operand;
  const bounds = [
    min === undefined ? [] : `${number} >= ${min}`,
    max === undefined ? [] : `${number} <= ${max}`,
  ].flat();
  return bounds.length === 0 ? undefined : bounds.join(" and ");
}

/** Returns the SQL type of a column. */
export function columnTypeText(column: ColumnDescription, { columnTypes }: SchemaDialect): string {
  const { type, length, precision, scale } = { ...defaultDecimal, ...column };
  if (type === "string") return columnTypes.string(length);
  return type === "decimal" ? columnTypes.decimal(precision, scale) : columnTypes[type];
}

/** Returns a foreign key, as in `create table` and `alter table … add`. */
export function foreignKeyText(key: ForeignKeyDescription, dialect: SchemaDialect): string {
  const action = key.onDelete === "restrict" ? "" : ` on delete ${key.onDelete}`;
  const target = `${quoteName(key.table, dialect)} (${quoteName(key.references, dialect)})`;
  return `foreign key (${quoteName(key.column, dialect)}) references ${target}${action}`;
}

/** Quotes a name. Names are identifiers, so they contain no quotation mark. */
export const quoteName = (name: string, { identifierQuote }: SchemaDialect): string =>
  identifierQuote + name + identifierQuote;

/** Returns a default as a literal. */
export function defaultText(value: string | number | boolean, dialect: SchemaDialect): string {
  if (typeof value === "string") return literal(value);
  return typeof value === "boolean" && dialect.name === "sqlite" ? String(Number(value)) : String(value);
}

/** Returns a text as a literal. Backslashes are no escapes: the sessions of MariaDB have NO_BACKSLASH_ESCAPES. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
