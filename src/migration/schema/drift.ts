import type { Dialect } from "../../database/index.ts";
import {
  choiceCheck,
  type ColumnDescription,
  columnText,
  columnTypeText,
  foreignKeyText,
  indexName,
  indexText,
  quoteName,
  type SchemaDialect,
  statementsFor,
  type TableDescription,
  withJoinTables,
} from "../../table/index.ts";
import { fullTextIndex } from "../../table/search/index.ts";
import { guardText } from "../values/guard.ts";
import { conversion, lostValues, textExpression, type TypeChange } from "../values/lost-values.ts";
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

/** Adds a difference of a table to a list. */
type AddDrift = (problem: string, ...statements: readonly string[]) => void;

function tableDrift(table: TableDescription, live: LiveTable, context: DriftContext): readonly Drift[] {
  const drift: Drift[] = [];
  const add: AddDrift = (problem, ...statements) => void drift.push({ table: table.name, problem, statements });
  drift.push(...columnsDrift(table, live, context));
  addIndexDrift(table, live, context, add);
  addForeignKeyDrift(table, live, context, add);
  return drift;
}

const alterText = (table: TableDescription, printer: SchemaDialect): string =>
  `alter table ${quoteName(table.name, printer)}`;

const listText = (names: readonly string[], printer: SchemaDialect): string =>
  names.map((name) => quoteName(name, printer)).join(", ");

const hasColumn = ({ columns }: LiveTable, name: string): boolean => columns.some((column) => column.name === name);

/** Compares the columns. */
function columnsDrift(table: TableDescription, live: LiveTable, context: DriftContext): readonly Drift[] {
  const { dialect, printer } = context;
  const alter = alterText(table, printer);
  const described = table.columns.flatMap((column): readonly Drift[] => {
    const liveColumn = live.columns.find(({ name }) => name === column.name);
    if (liveColumn !== undefined) {
      return columnDrift(table, column, { ...live, column: liveColumn }, dialect, printer);
    }
    const problem = `The column "${column.name}" is missing.`;
    return [{ table: table.name, problem, statements: addColumn(alter, column, printer) }];
  });
  const others = live.columns
    .filter(({ name }) => !table.columns.some((column) => column.name === name) && !isOfFullText(table, name))
    .map(({ name }) => ({
      table: table.name,
      problem: `The column "${name}" is not described.`,
      statements: [`-- loses its values: ${alter} drop column ${quoteName(name, printer)}`],
    }));
  return [...described, ...others];
}

/** Compares the unique constraints and indexes. */
function addIndexDrift(table: TableDescription, live: LiveTable, context: DriftContext, add: AddDrift): void {
  const { dialect, printer } = context;
  const quote = (name: string): string => quoteName(name, printer);
  const hasIndex = (columns: readonly string[], isUnique: boolean): boolean =>
    live.indexes.some(
      (index) => index.isComplete && (!isUnique || index.kind !== "index") && hasSameNames(index.columns, columns),
    );
  for (const columns of table.unique) {
    if (hasIndex(columns, true)) continue;
    const isGiven = columns.map((column) => `${quote(column)} is not null`).join(" and ");
    const list = listText(columns, printer);
    const query = `select ${list}, count(*) as limmat_rows from ${quote(table.name)} where ${isGiven} group by ${list} having count(*) > 1`;
    add(
      `The unique constraint on ${columns.join(", ")} is missing.`,
      ...(columns.every((column) => hasColumn(live, column))
        ? [guardText(`${columns.join(", ")} is not unique`, query)]
        : []),
      ...uniqueIndexTexts(table, columns, live, context),
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
      table.unique.some((columns) => hasSameNames(columns, index.columns)) ||
      (index.kind === "index" && table.indexes.some((columns) => hasSameNames(columns, index.columns))) ||
      // MariaDB creates the index of a foreign key, if no other serves it.
      (dialect.name === "mariadb" && table.foreignKeys.some(({ column }) => index.columns[0] === column));
    if (isDescribed) continue;
    add(
      `The ${index.kind} "${index.name}" on ${index.columns.join(", ")} is not described.`,
      `-- ${dropIndexText(table, index, context)}`,
    );
  }
}

/** Compares the foreign keys. */
function addForeignKeyDrift(table: TableDescription, live: LiveTable, context: DriftContext, add: AddDrift): void {
  const { printer, tables } = context;
  const quote = (name: string): string => quoteName(name, printer);
  const alter = alterText(table, printer);
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
        `not exists (select 1 from ${quote(key.table)} limmat_target where limmat_target.${quote(key.references)} = ${quote(table.name)}.${quote(key.column)})`;
      const canCheck = hasColumn(live, key.column) && tables.has(key.table);
      add(
        `${text} is missing.`,
        ...(canCheck ? [guardText(`"${key.column}" refers to no row of ${key.table}`, orphans)] : []),
        create,
      );
    } else if (normalAction(found.onDelete) !== normalAction(key.onDelete)) {
      add(
        `${text} has "on delete ${found.onDelete}" instead of "on delete ${key.onDelete}".`,
        `${alter} ${dropKeyText(live, found, context)}`,
        create,
      );
    }
  }
  for (const key of live.foreignKeys) {
    if (table.foreignKeys.some(({ column, table: target }) => column === key.columns.join() && target === key.table)) {
      continue;
    }
    const problem = `The foreign key "${key.columns.join(", ")}" to ${key.table} is not described.`;
    add(problem, `-- ${alter} ${dropKeyText(live, key, context)}`);
  }
}

/** Returns the clause that drops a foreign key. Those of SQLite have no name. */
function dropKeyText(table: LiveTable, key: LiveForeignKey, { dialect, printer }: DriftContext): string {
  const { columns } = key;
  const defaultNames = {
    sqlite: "",
    postgresql: `${table.name}_${columns.join("_")}_fkey`,
    mariadb: `${table.name}_ibfk_${table.foreignKeys.indexOf(key) + 1}`,
  };
  // Another kind of database has named the key by itself.
  const name = printer.name === dialect.name ? key.name : defaultNames[printer.name];
  if (printer.name === "sqlite") return `drop foreign key (${listText(columns, printer)})`;
  return `drop ${printer.name === "mariadb" ? "foreign key" : "constraint"} ${quoteName(name, printer)}`;
}

/** Returns the statements that create a unique index, instead of a plain one of the same name. */
function uniqueIndexTexts(
  table: TableDescription,
  columns: readonly string[],
  live: LiveTable,
  context: DriftContext,
): readonly string[] {
  const { printer } = context;
  const name = indexName(table.name, columns);
  const target = `${quoteName(name, printer)} on ${quoteName(table.name, printer)}`;
  const list = listText(columns, printer);
  const former = live.indexes.find((index) => index.name === name);
  if (former === undefined) return [`create unique index ${target} (${list})`];
  // MariaDB may need the index for a foreign key all the time.
  if (printer.name === "mariadb") return [`create or replace unique index ${target} (${list})`];
  return [dropIndexText(table, former, context), `create unique index ${target} (${list})`];
}

/** Returns the statement that drops an index, or the unique constraint that it belongs to. */
function dropIndexText(table: TableDescription, index: LiveIndex, { dialect, printer }: DriftContext): string {
  const alter = alterText(table, printer);
  const isLive = printer.name === dialect.name;
  // The databases name a constraint themselves: PostgreSQL by its columns, MariaDB by the first one.
  const isConstraint = isLive
    ? index.isConstraint
    : index.kind === "unique" && index.name !== indexName(table.name, index.columns);
  if (printer.name === "mariadb") {
    const name = isLive || !isConstraint ? index.name : (index.columns[0] ?? "");
    return `drop index ${quoteName(name, printer)} on ${quoteName(table.name, printer)}`;
  }
  if (!isConstraint) return `drop index ${quoteName(index.name, printer)}`;
  if (printer.name === "sqlite") {
    return `${alter} drop unique (${listText(index.columns, printer)})`;
  }
  const name = isLive ? index.name : `${table.name}_${index.columns.join("_")}_key`;
  return `${alter} drop constraint ${quoteName(name, printer)}`;
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
  const refuse = (condition: string, problem: string): void => {
    const target = quoteName(table.name, printer);
    guards.push(
      `-- if rows are refused, a data step before this one decides: update ${target} set ${name} = … where ${condition}`,
      guardText(problem, `select ${keyAnd(table, name, printer)} from ${target} where ${condition}`),
    );
  };

  const isSameType = hasSameType(live.type, type, dialect.name);
  const liveStorage = storageOf(live.type, dialect);
  if (!isSameType) {
    problems.push(`The column "${column.name}" has the type ${live.type} instead of ${type}.`);
    needsDefinition = true;
    const change = { column: name, from: liveStorage, to: column };
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
  // PostgreSQL names the check of a column by itself.
  const namedChecks =
    printer.name === dialect.name
      ? checks
      : checks.map((check) => ({ ...check, name: `${table.name}_${column.name}_check` }));
  const values = valueDrift(column, live, namedChecks, printer);
  for (const { problem, clause, allowedTexts } of values) {
    problems.push(problem);
    if (clause === undefined) needsDefinition = true;
    else clauses.push(clause);
    if (allowedTexts !== undefined) {
      const text = textExpression(name, liveStorage, printer.name);
      const check = choiceCheck(text, allowedTexts).replace(/^check /, "");
      refuse(`not ${check}`, `"${column.name}" is none of ${allowedTexts.join(", ").replaceAll("*/", "* /")}`);
    }
  }
  const canKeepDefault = printer.name === dialect.name && (isSameType || liveStorage?.type === column.type);
  // One statement for all: it may copy the table.
  const changes =
    printer.name !== "postgresql" && needsDefinition
      ? [`modify column ${definitionText(column, printer, canKeepDefault ? live.default : undefined)}`]
      : clauses;
  const statements = [...guards, `${alterText(table, printer)} ${[...new Set(changes)].join(", ")}`];
  return problems.map((problem, index) => ({
    table: table.name,
    problem,
    statements: index === 0 ? statements : [],
  }));
}

/** Returns the columns that show a refused row: the primary key, and the column itself. */
const keyAnd = (table: TableDescription, name: string, printer: SchemaDialect): string =>
  [...new Set([...table.primaryKey.map((key) => quoteName(key, printer)), name])].join(", ");

/** Returns the definition of a column, with the default of the database if none is described. */
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
