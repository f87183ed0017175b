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
import type { LiveCheck, LiveColumn, LiveTable } from "./live-schema.ts";
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
    return [...tableDrift(table, liveTable, dialect, printer), ...fullTextDrift(table, live, printer)];
  });
  return [...missingDrift, ...others];
}

function tableDrift(
  table: TableDescription,
  live: LiveTable,
  dialect: Dialect,
  printer: SchemaDialect,
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
    add(
      `The unique constraint on ${columns.join(", ")} is missing.`,
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
    const drop = `drop index ${quote(index.name)}${printer.name === "mariadb" ? ` on ${quote(table.name)}` : ""}`;
    add(`The ${index.kind} "${index.name}" on ${index.columns.join(", ")} is not described.`, `-- ${drop}`);
  }

  for (const key of table.foreignKeys) {
    const found = live.foreignKeys.find(
      ({ columns, table: target, references }) =>
        columns.join() === key.column && target === key.table && references.join() === key.references,
    );
    const text = `The foreign key "${key.column}" to ${key.table}`;
    const create = `${alter} add ${foreignKeyText(key, printer)}`;
    if (found === undefined) add(`${text} is missing.`, rebuildOnSqlite(create, printer));
    else if (normalAction(found.onDelete) !== normalAction(key.onDelete)) {
      const constraint = printer.name === "mariadb" ? "foreign key" : "constraint";
      const drop = `${alter} drop ${constraint} ${quote(found.name)}`;
      add(
        `${text} has "on delete ${found.onDelete}" in place of "on delete ${key.onDelete}".`,
        ...(printer.name === "sqlite" ? [rebuildOnSqlite(create, printer)] : [drop, create]),
      );
    }
  }
  for (const { columns, table: target, name } of live.foreignKeys) {
    if (table.foreignKeys.some((key) => key.column === columns.join() && key.table === target)) continue;
    const drop = `${alter} drop ${printer.name === "mariadb" ? "foreign key" : "constraint"} ${quote(name)}`;
    add(`The foreign key "${columns.join(", ")}" to ${target} is not described.`, `-- ${drop}`);
  }
  return drift;
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

const rebuildOnSqlite = (statement: string, dialect: SchemaDialect): string =>
  dialect.name === "sqlite" ? `-- SQLite must create the table again and copy its rows: ${statement}` : statement;

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
  const drift: Drift[] = [];
  const quote = (name: string): string => quoteName(name, printer);
  const alter = `alter table ${quote(table.name)}`;
  const type = columnTypeText(column, dialect);
  const printedType = columnTypeText(column, printer);
  const isNullable = column.isNullable && !table.primaryKey.includes(column.name);
  const isSameType = hasSameType(live.type, type, dialect.name);
  const change = (postgresql: string): string => {
    if (printer.name === "postgresql") return `${alter} alter column ${quote(column.name)} ${postgresql}`;
    return rebuildOnSqlite(`${alter} modify column ${columnText(column, printer)}`, printer);
  };
  if (!isSameType) {
    drift.push({
      table: table.name,
      problem: `The column "${column.name}" has the type ${live.type} in place of ${type}.`,
      statements: [change(`type ${printedType} using ${quote(column.name)}::${printedType}`)],
    });
  }
  if (isNullable !== live.isNullable) {
    const problem = `The column "${column.name}" ${live.isNullable ? "accepts NULL, but must not" : "does not accept NULL, but must"}.`;
    const statement = change(isNullable ? "drop not null" : "set not null");
    drift.push({
      table: table.name,
      problem,
      statements: isSameType || printer.name === "postgresql" ? [statement] : [],
    });
  }
  for (const { problem, statement } of valueDrift(alter, column, live, checks, printer)) {
    drift.push({ table: table.name, problem, statements: [rebuildOnSqlite(statement, printer)] });
  }
  return drift;
}
