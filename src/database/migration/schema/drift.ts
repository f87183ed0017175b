import type { Dialect } from "../../contract.ts";
import {
  columnText,
  columnTypeText,
  foreignKeyText,
  indexName,
  indexText,
  quoteName,
  type SchemaDialect,
  statementsFor,
} from "../../table/create-statements.ts";
import { fullTextIndex } from "../../search/full-text-index.ts";
import { type ColumnDescription, type TableDescription, withJoinTables } from "../../table/description.ts";
import { guardText } from "../values/guard-text.ts";
import { conversion, lostValues, type TypeChange } from "../values/lost-values.ts";
import { storageOf } from "../values/storage.ts";
import type { LiveCheck, LiveColumn, LiveForeignKey, LiveIndex, LiveTable } from "./live-schema.ts";
import { hasSameType } from "./type-names.ts";
import { valueDrift } from "./value-drift.ts";

/** Difference between the database and the described tables. */
export interface Drift {
  readonly table: string;
  /** Difference, as a sentence. */
  readonly problem: string;
  /**
   * Statements that close the difference. A statement that loses data, or that the database lacks, is an SQL comment to
   * decide on.
   */
  readonly statements: readonly string[];
}

/**
 * Compares the tables of the database with descriptions. Tables that are not described are no difference. `printer` is the
 * dialect of the statements, if it is another one.
 */
export function findDrift(
  described: readonly TableDescription[],
  live: ReadonlyMap<string, LiveTable>,
  dialect: Dialect,
  printer: SchemaDialect = dialect,
): readonly Drift[] {
  const tables = withJoinTables(described);
  const missing = tables.filter(({ name }) => !live.has(name));
  const created = statementsFor(
    missing.map((table) => ({ ...table, joinTables: [] })),
    printer,
  );
  const missingDrift = missing.map(({ name }, index) => ({
    table: name,
    problem: "The table is missing.",
    // One order for all missing tables, because they may refer to each other. The last one has their statements, so that
    // the list of missing tables precedes them.
    statements: index === missing.length - 1 ? created : [],
  }));
  const others = tables.flatMap((table) => {
    const liveTable = live.get(table.name);
    if (liveTable === undefined) return [];
    return [
      ...tableDrift(table, liveTable, { dialect, printer, tables: live }),
      ...fullTextDrift(table, live, printer),
    ];
  });
  return [...missingDrift, ...others];
}

/** Databases whose tables are compared, and whose statements are written. */
interface DriftContext {
  readonly dialect: Dialect;
  readonly printer: SchemaDialect;
  readonly tables: ReadonlyMap<string, LiveTable>;
}

function tableDrift(
  table: TableDescription,
  live: LiveTable,
  { dialect, printer, tables }: DriftContext,
): readonly Drift[] {
  const drift: Drift[] = [];
  const quote = (name: string): string => quoteName(name, printer);
  const list = (names: readonly string[]): string => names.map(quote).join(", ");
  const alter = `alter table ${quote(table.name)}`;
  const add = (problem: string, ...statements: readonly string[]): void =>
    void drift.push({ table: table.name, problem, statements });
  const liveColumns = new Map(live.columns.map((column) => [column.name, column]));

  for (const column of table.columns) {
    const liveColumn = liveColumns.get(column.name);
    if (liveColumn === undefined) {
      add(`The column "${column.name}" is missing.`, ...addColumn(alter, column, printer));
    } else drift.push(...columnDrift(table, column, { ...live, column: liveColumn }, dialect, printer));
  }
  for (const { name } of live.columns) {
    if (table.columns.some((column) => column.name === name)) continue;
    if (isOfFullText(table, name)) continue;
    add(`The column "${name}" is not described.`, `-- loses its values: ${alter} drop column ${quote(name)}`);
  }

  const hasIndex = (columns: readonly string[], isUnique: boolean): boolean =>
    live.indexes.some(
      (index) => index.isComplete && (!isUnique || index.kind !== "index") && hasSameNames(index.columns, columns),
    );
  for (const columns of table.unique) {
    if (hasIndex(columns, true)) continue;
    const name = quote(indexName(table.name, columns));
    const isGiven = columns.map((column) => `${quote(column)} is not null`).join(" and ");
    const query = `select ${list(columns)}, count(*) as "rows" from ${quote(table.name)} where ${isGiven} group by ${list(columns)} having count(*) > 1`;
    add(
      `The unique constraint on ${columns.join(", ")} is missing.`,
      ...(columns.every((column) => liveColumns.has(column))
        ? [guardText(`${columns.join(", ")} is not unique`, query)]
        : []),
      `create unique index ${name} on ${quote(table.name)} (${list(columns)})`,
    );
  }
  for (const columns of table.indexes) {
    if (hasIndex(columns, false)) continue;
    add(`The index on ${columns.join(", ")} is missing.`, indexText(table, columns, printer));
  }
  for (const index of live.indexes) {
    const isDescribed =
      index.kind === "primary" ||
      !index.isComplete ||
      index.columns.some((name) => name === "" || isOfFullText(table, name)) ||
      [...table.unique, ...table.indexes].some((columns) => hasSameNames(columns, index.columns)) ||
      // MariaDB creates the index of a foreign key, if no other serves it.
      (dialect.name === "mariadb" && table.foreignKeys.some(({ column }) => index.columns[0] === column));
    if (isDescribed) continue;
    add(
      `The ${index.kind} "${index.name}" on ${index.columns.join(", ")} is not described.`,
      `-- ${dropIndexText(table, index, printer)}`,
    );
  }

  for (const key of table.foreignKeys) {
    const found = live.foreignKeys.find(
      ({ columns, table: target, references }) =>
        columns.join() === key.column && target === key.table && references.join() === key.references,
    );
    const text = `The foreign key "${key.column}" to ${key.table}`;
    const create = `${alter} add ${foreignKeyText(key, printer)}`;
    if (found === undefined) {
      const orphans =
        `select ${keyAnd(table, quote(key.column), printer)} from ${quote(table.name)} where ${quote(key.column)} is not null and ` +
        `not exists (select 1 from ${quote(key.table)} target where target.${quote(key.references)} = ${quote(table.name)}.${quote(key.column)})`;
      const canCheck = liveColumns.has(key.column) && tables.has(key.table);
      add(
        `${text} is missing.`,
        ...(canCheck ? [guardText(`"${key.column}" refers to no row of ${key.table}`, orphans)] : []),
        create,
      );
    } else if (normalAction(found.onDelete) !== normalAction(key.onDelete)) {
      add(
        `${text} has "on delete ${found.onDelete}" in place of "on delete ${key.onDelete}".`,
        `${alter} ${dropKeyText(found, printer)}`,
        create,
      );
    }
  }
  for (const key of live.foreignKeys) {
    if (table.foreignKeys.some(({ column, table: target }) => column === key.columns.join() && target === key.table)) {
      continue;
    }
    const problem = `The foreign key "${key.columns.join(", ")}" to ${key.table} is not described.`;
    add(problem, `-- ${alter} ${dropKeyText(key, printer)}`);
  }
  return drift;
}

/** Returns the clause that drops a foreign key. Those of SQLite have no name. */
function dropKeyText({ name, columns }: LiveForeignKey, printer: SchemaDialect): string {
  if (printer.name === "sqlite")
    return `drop foreign key (${columns.map((column) => quoteName(column, printer)).join(", ")})`;
  return `drop ${printer.name === "mariadb" ? "foreign key" : "constraint"} ${quoteName(name, printer)}`;
}

/** Returns the statement that drops an index, or the unique constraint that it belongs to. */
function dropIndexText(table: TableDescription, index: LiveIndex, printer: SchemaDialect): string {
  const alter = `alter table ${quoteName(table.name, printer)}`;
  const name = quoteName(index.name, printer);
  if (printer.name === "mariadb") return `drop index ${name} on ${quoteName(table.name, printer)}`;
  if (!index.isConstraint) return `drop index ${name}`;
  if (printer.name === "postgresql") return `${alter} drop constraint ${name}`;
  return `${alter} drop unique (${index.columns.map((column) => quoteName(column, printer)).join(", ")})`;
}

const fullTextName = (table: TableDescription): string => `${table.name}_full_text`;

/** Returns true for the generated column of the full-text search, which is not described. */
const isOfFullText = (table: TableDescription, column: string): boolean =>
  table.fullText.length > 0 && column === fullTextName(table);

/** Compares the full-text search: a generated column, on SQLite a table. */
function fullTextDrift(
  table: TableDescription,
  live: ReadonlyMap<string, LiveTable>,
  printer: SchemaDialect,
): readonly Drift[] {
  const name = fullTextName(table);
  const exists = live.has(name) || live.get(table.name)?.columns.some((column) => column.name === name) === true;
  if (table.fullText.length === 0 || exists) return [];
  const problem = `The full-text search of ${table.fullText.join(", ")} is missing.`;
  return [{ table: table.name, problem, statements: fullTextIndex(table.name, table.fullText).up[printer.name] }];
}

const hasSameNames = (left: readonly string[], right: readonly string[]): boolean =>
  left.join("\n") === right.join("\n");

/** "No action" and "restrict" differ only in the moment of the check. */
const normalAction = (action: string): string => (action === "no action" ? "restrict" : action);

function addColumn(alter: string, column: ColumnDescription, dialect: SchemaDialect): readonly string[] {
  const statement = `${alter} add column ${columnText(column, dialect)}`;
  if (column.isNullable || column.default !== undefined) return [statement];
  // A required column without a default fails, or gets an empty value, if the table has rows.
  const nullable = `${alter} add column ${columnText({ ...column, isNullable: true }, dialect)}`;
  return [nullable, `-- fill "${column.name}", then make it not null in a later step`];
}

function columnDrift(
  table: TableDescription,
  column: ColumnDescription,
  { column: live, checks }: { readonly column: LiveColumn; readonly checks: readonly LiveCheck[] },
  dialect: Dialect,
  printer: SchemaDialect,
): readonly Drift[] {
  const name = quoteName(column.name, printer);
  const type = columnTypeText(column, dialect);
  const isNullable = column.isNullable && !table.primaryKey.includes(column.name);
  const problems: string[] = [];
  const guards: string[] = [];
  const clauses: string[] = [];
  /** True if SQLite and MariaDB need a new definition of the column. */
  let needsDefinition = false;
  const refuse = (condition: string, problem: string): void =>
    void guards.push(
      guardText(
        problem,
        `select ${keyAnd(table, name, printer)} from ${quoteName(table.name, printer)} where ${condition}`,
      ),
    );

  const isSameType = hasSameType(live.type, type, dialect.name);
  if (!isSameType) {
    problems.push(`The column "${column.name}" has the type ${live.type} in place of ${type}.`);
    needsDefinition = true;
    const change = { column: name, from: storageOf(live.type, dialect), to: column };
    const lost = lostValues(change, printer);
    const shortType = type.replace(/ (?:collate|character set) .*/, "");
    if (lost !== undefined) refuse(lost, `"${column.name}" does not fit ${shortType}`);
    clauses.push(...typeClauses(change, live, printer));
  }
  if (isNullable !== live.isNullable) {
    problems.push(
      `The column "${column.name}" ${live.isNullable ? "accepts NULL, but must not" : "does not accept NULL, but must"}.`,
    );
    needsDefinition = true;
    if (!isNullable) refuse(`${name} is null`, `"${column.name}" is null`);
    clauses.push(`alter column ${name} ${isNullable ? "drop not null" : "set not null"}`);
  }
  const values = valueDrift(column, live, checks, printer);
  for (const { problem, clause, refused } of values) {
    problems.push(problem);
    if (clause === undefined) needsDefinition = true;
    else clauses.push(clause);
    if (refused !== undefined) refuse(refused.condition, refused.problem);
  }
  // One statement for all: it may copy the table.
  const alter = `alter table ${quoteName(table.name, printer)}`;
  const changes =
    printer.name !== "postgresql" && needsDefinition
      ? [`modify column ${definitionText(column, printer, printer.name === dialect.name ? live.default : undefined)}`]
      : clauses;
  const statements = [...guards, `${alter} ${[...new Set(changes)].join(", ")}`];
  return problems.map((problem, index) => ({
    table: table.name,
    problem,
    statements: index === 0 ? statements : [],
  }));
}

/** Returns the columns that show a refused row: the primary key, and the column itself. */
const keyAnd = (table: TableDescription, name: string, printer: SchemaDialect): string =>
  [...new Set([...table.primaryKey.map((key) => quoteName(key, printer)), name])].join(", ");

/** Returns the definition of a column, with a default of the database that is not described. */
function definitionText(column: ColumnDescription, printer: SchemaDialect, liveDefault: string | undefined): string {
  const text = columnText(column, printer);
  if (column.default !== undefined || liveDefault === undefined || /^null$/i.test(liveDefault)) return text;
  const type = `${quoteName(column.name, printer)} ${columnTypeText(column, printer)}`;
  const kept = printer.name === "sqlite" ? `(${liveDefault})` : liveDefault;
  return `${type} default ${kept}${text.slice(type.length)}`;
}

/** Returns the clauses that change the type of a column on PostgreSQL. */
function typeClauses(change: TypeChange, live: LiveColumn, printer: SchemaDialect): readonly string[] {
  const { column, to } = change;
  const using = conversion(change, printer);
  const type = `alter column ${column} type ${columnTypeText({ name: "", isNullable: true, ...to }, printer)}`;
  if (using === undefined || live.default === undefined) return [using === undefined ? type : `${type} using ${using}`];
  return [`alter column ${column} drop default`, `${type} using ${using}`];
}
