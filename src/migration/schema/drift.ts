import type { ColumnStorage, Dialect } from "../../database/index.ts";
import {
  checkCondition,
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
import type { LiveColumn, LiveForeignKey, LiveIndex, LiveTable } from "./live-schema.ts";
import { hasSameType, storageOf } from "./type-names.ts";
import { checkDrift, defaultDrift } from "./value-drift.ts";

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
    const context = driftContext(table, liveTable, { dialect, printer, tables: live });
    return [columnsDrift, indexDrift, foreignKeyDrift, fullTextDrift].flatMap((compare) => compare(context));
  });
  return [...missingDrift, ...others];
}

/** Databases whose tables are compared, and whose statements are written. */
interface Databases {
  readonly dialect: Dialect;
  readonly printer: SchemaDialect;
  readonly tables: ReadonlyMap<string, LiveTable>;
}

/** Described table, the same table in the database, and parts of the statements that change it. */
interface DriftContext extends Databases {
  readonly table: TableDescription;
  readonly live: LiveTable;
  /** True if the statements are for the database that is compared, so that its names can be used. */
  readonly isLive: boolean;
  /** Quoted name of the table. */
  readonly target: string;
  /** `alter table` with the name. */
  readonly alter: string;
  readonly quote: (name: string) => string;
  readonly list: (names: readonly string[]) => string;
  readonly drift: (problem: string, ...statements: readonly string[]) => Drift;
}

function driftContext(table: TableDescription, live: LiveTable, databases: Databases): DriftContext {
  const { dialect, printer } = databases;
  const quote = (name: string): string => quoteName(name, printer);
  const target = quote(table.name);
  return {
    ...databases,
    table,
    live,
    isLive: printer.name === dialect.name,
    target,
    alter: `alter table ${target}`,
    quote,
    list: (names) => names.map(quote).join(", "),
    drift: (problem, ...statements) => ({ table: table.name, problem, statements }),
  };
}

const hasColumn = ({ columns }: LiveTable, name: string): boolean => columns.some((column) => column.name === name);

function columnsDrift(context: DriftContext): readonly Drift[] {
  const { table, live, printer, alter, quote, drift } = context;
  const described = table.columns.flatMap((column): readonly Drift[] => {
    const liveColumn = live.columns.find(({ name }) => name === column.name);
    if (liveColumn !== undefined) return columnDrift(context, column, liveColumn);
    return [drift(`The column "${column.name}" is missing.`, ...addColumn(alter, column, printer))];
  });
  const others = live.columns
    .filter(({ name }) => !table.columns.some((column) => column.name === name) && !isOfFullText(table, name))
    .map(({ name }) =>
      drift(`The column "${name}" is not described.`, `-- loses its values: ${alter} drop column ${quote(name)}`),
    );
  return [...described, ...others];
}

function indexDrift(context: DriftContext): readonly Drift[] {
  const { table, live, dialect, printer, target, quote, list, drift } = context;
  const hasIndex = (columns: readonly string[], isUnique: boolean): boolean =>
    live.indexes.some(
      (index) => index.isComplete && (!isUnique || index.kind !== "index") && hasSameNames(index.columns, columns),
    );
  const isDescribed = (index: LiveIndex): boolean =>
    index.kind === "primary" ||
    !index.isComplete ||
    index.columns.some((name) => name === "" || isOfFullText(table, name)) ||
    table.unique.some((columns) => hasSameNames(columns, index.columns)) ||
    (index.kind === "index" && table.indexes.some((columns) => hasSameNames(columns, index.columns))) ||
    // MariaDB creates the index of a foreign key, if no other serves it.
    (dialect.name === "mariadb" && table.foreignKeys.some(({ column }) => index.columns[0] === column));
  const uniqueDrift = (columns: readonly string[]): Drift => {
    const isGiven = columns.map((column) => `${quote(column)} is not null`).join(" and ");
    const query = `select ${list(columns)}, count(*) as limmat_rows from ${target} where ${isGiven} group by ${list(columns)} having count(*) > 1`;
    const canCheck = columns.every((column) => hasColumn(live, column));
    return drift(
      `The unique constraint on ${columns.join(", ")} is missing.`,
      ...(canCheck ? [guardText(`${columns.join(", ")} is not unique`, query)] : []),
      ...uniqueIndexTexts(context, columns),
    );
  };
  return [
    ...table.unique.filter((columns) => !hasIndex(columns, true)).map(uniqueDrift),
    ...table.indexes
      .filter((columns) => !hasIndex(columns, false))
      .map((columns) => drift(`The index on ${columns.join(", ")} is missing.`, indexText(table, columns, printer))),
    ...live.indexes
      .filter((index) => !isDescribed(index))
      .map((index) =>
        drift(
          `The ${index.kind} "${index.name}" on ${index.columns.join(", ")} is not described.`,
          `-- ${dropIndexText(context, index)}`,
        ),
      ),
  ];
}

function foreignKeyDrift(context: DriftContext): readonly Drift[] {
  const { table, live, printer, tables, target, alter, quote, drift } = context;
  const described = table.foreignKeys.flatMap((key): readonly Drift[] => {
    const found = live.foreignKeys.find(
      ({ columns, table: other, references }) =>
        columns.join() === key.column && other === key.table && references.join() === key.references,
    );
    const text = `The foreign key "${key.column}" to ${key.table}`;
    const create = `${alter} add ${foreignKeyText(key, printer)}`;
    const column = quote(key.column);
    if (found === undefined) {
      const orphans =
        `select ${keyAnd(context, column)} from ${target} where ${column} is not null and ` +
        `not exists (select 1 from ${quote(key.table)} limmat_target where limmat_target.${quote(key.references)} = ${target}.${column})`;
      const canCheck = hasColumn(live, key.column) && tables.has(key.table);
      const guard = canCheck ? [guardText(`"${key.column}" refers to no row of ${key.table}`, orphans)] : [];
      return [drift(`${text} is missing.`, ...guard, create)];
    }
    if (normalAction(found.onDelete) === normalAction(key.onDelete)) return [];
    const problem = `${text} has "on delete ${found.onDelete}" instead of "on delete ${key.onDelete}".`;
    return [drift(problem, `${alter} ${dropKeyText(context, found)}`, create)];
  });
  const isDescribed = ({ columns, table: other }: LiveForeignKey): boolean =>
    table.foreignKeys.some((key) => key.column === columns.join() && key.table === other);
  const others = live.foreignKeys
    .filter((key) => !isDescribed(key))
    .map((key) =>
      drift(
        `The foreign key "${key.columns.join(", ")}" to ${key.table} is not described.`,
        `-- ${alter} ${dropKeyText(context, key)}`,
      ),
    );
  return [...described, ...others];
}

/** Returns the clause that drops a foreign key. Those of SQLite have no name. */
function dropKeyText({ live, printer, isLive, quote, list }: DriftContext, key: LiveForeignKey): string {
  const { columns } = key;
  const defaultNames = {
    sqlite: "",
    postgresql: `${live.name}_${columns.join("_")}_fkey`,
    mariadb: `${live.name}_ibfk_${live.foreignKeys.indexOf(key) + 1}`,
  };
  if (printer.name === "sqlite") return `drop foreign key (${list(columns)})`;
  // Another kind of database has named the key by itself.
  const name = isLive ? key.name : defaultNames[printer.name];
  return `drop ${printer.name === "mariadb" ? "foreign key" : "constraint"} ${quote(name)}`;
}

/** Returns the statements that create a unique index, instead of a plain one of the same name. */
function uniqueIndexTexts(context: DriftContext, columns: readonly string[]): readonly string[] {
  const { table, live, printer, target, quote, list } = context;
  const name = indexName(table.name, columns);
  const index = `unique index ${quote(name)} on ${target} (${list(columns)})`;
  const former = live.indexes.find((candidate) => candidate.name === name);
  if (former === undefined) return [`create ${index}`];
  // MariaDB may need the index for a foreign key all the time.
  return printer.name === "mariadb"
    ? [`create or replace ${index}`]
    : [dropIndexText(context, former), `create ${index}`];
}

/** Returns the statement that drops an index, or the unique constraint that it belongs to. */
function dropIndexText(context: DriftContext, index: LiveIndex): string {
  const { table, printer, isLive, target, alter, quote, list } = context;
  // The databases name a constraint themselves: PostgreSQL by its columns, MariaDB by the first one.
  const isConstraint = isLive
    ? index.isConstraint
    : index.kind === "unique" && index.name !== indexName(table.name, index.columns);
  if (printer.name === "mariadb") {
    const name = isLive || !isConstraint ? index.name : (index.columns[0] ?? "");
    return `drop index ${quote(name)} on ${target}`;
  }
  if (!isConstraint) return `drop index ${quote(index.name)}`;
  if (printer.name === "sqlite") return `${alter} drop unique (${list(index.columns)})`;
  const name = isLive ? index.name : `${table.name}_${index.columns.join("_")}_key`;
  return `${alter} drop constraint ${quote(name)}`;
}

const fullTextName = (table: TableDescription): string => `${table.name}_full_text`;

/** Returns true for the generated column of the full-text search, which is not described. */
const isOfFullText = (table: TableDescription, column: string): boolean =>
  table.fullText.length > 0 && column === fullTextName(table);

/** Compares the full-text search: a generated column, on SQLite a table. */
function fullTextDrift({ table, live, tables, printer, drift }: DriftContext): readonly Drift[] {
  const name = fullTextName(table);
  if (table.fullText.length === 0 || tables.has(name) || hasColumn(live, name)) return [];
  const statements = fullTextIndex(table.name, table.fullText).up[printer.name];
  return [drift(`The full-text search of ${table.fullText.join(", ")} is missing.`, ...statements)];
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

function columnDrift(context: DriftContext, column: ColumnDescription, live: LiveColumn): readonly Drift[] {
  const { table, dialect, printer, isLive, target, alter } = context;
  const name = context.quote(column.name);
  const type = columnTypeText(column, dialect);
  const isNullable = column.isNullable && !table.primaryKey.includes(column.name);
  const problems: string[] = [];
  const guards: string[] = [];
  const clauses: string[] = [];
  /** True if SQLite and MariaDB need a new definition of the column. */
  let needsDefinition = false;
  const refuse = (condition: string, problem: string): void => {
    guards.push(
      `-- if rows are refused, a data step before this one decides: update ${target} set ${name} = … where ${condition}`,
      guardText(problem, `select ${keyAnd(context, name)} from ${target} where ${condition}`),
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
  const { checks } = context.live;
  const namedChecks = isLive
    ? checks
    : checks.map((check) => ({ ...check, name: `${table.name}_${column.name}_check` }));
  const isDecimal = [column.type, liveStorage?.type].includes("decimal");
  const values = [...defaultDrift(column, live, printer), ...checkDrift(column, namedChecks, isDecimal, printer)];
  for (const { problem, clause, refused } of values) {
    problems.push(problem);
    if (clause === undefined) needsDefinition = true;
    else clauses.push(clause);
    if (refused !== undefined) {
      const operand = valueExpression(name, column, liveStorage, printer);
      refuse(
        `not (${checkCondition(operand, column, printer)})`,
        `"${column.name}" is ${refused.replaceAll("*/", "* /")}`,
      );
    }
  }
  const canKeepDefault = isLive && (isSameType || liveStorage?.type === column.type);
  // One statement for all: it may copy the table.
  const changes =
    printer.name !== "postgresql" && needsDefinition
      ? [`modify column ${definitionText(column, printer, canKeepDefault ? live.default : undefined)}`]
      : clauses;
  const statements = [...guards, `${alter} ${[...new Set(changes)].join(", ")}`];
  return problems.map((problem, index) => context.drift(problem, ...(index === 0 ? statements : [])));
}

/** Returns the expression that the new check of a column applies to, before the change of its type. */
function valueExpression(
  name: string,
  column: ColumnDescription,
  live: ColumnStorage | undefined,
  printer: SchemaDialect,
): string {
  if (column.oneOf !== undefined) return textExpression(name, live, printer.name);
  return printer.name === "postgresql" ? `${name}::numeric` : name;
}

const keyAnd = ({ table, quote }: DriftContext, name: string): string =>
  [...new Set([...table.primaryKey.map(quote), name])].join(", ");

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
