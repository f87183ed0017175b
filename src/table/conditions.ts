import { errors } from "./errors.ts";
import { columnFragment, decimalSize, orderClause, type SortColumn } from "./search/sort-order.ts";
import { Fragment, rawFragment, type RowType, sql, type SqlPart, Statement, untypedRow } from "../database/index.ts";
import { blindIndexes } from "./encryption.ts";
import type { TableColumn } from "./columns.ts";
import type { TableModel } from "./model.ts";
import { cachedTemplate, StatementBuilder } from "./statement-builder.ts";
import { encodeColumn, isUuidText } from "./values.ts";

/** Returns true for SQL. */
export const isSqlPart = (value: unknown): value is SqlPart => value instanceof Statement || value instanceof Fragment;

/** Conditions of all rows, and of none. */
export const always: Fragment = rawFragment("1 = 1");
export const never: Fragment = rawFragment("1 = 0");

/**
 * Returns the SQL of a condition: of SQL itself, or of equalities or a list of conditions, all of which must match. Throws
 * E_TABLE_COLUMN for an unknown column, E_TABLE_VALUE for a value of another type.
 */
export function conditionPart(model: TableModel, condition: unknown): SqlPart {
  if (isSqlPart(condition)) return condition;
  if (Array.isArray(condition) && condition.length > 0) {
    return joinConditions(
      condition.map((part) => conditionPart(model, part)),
      "and",
    );
  }
  const equalities = equalitiesOf(model, condition);
  const statement = singleValues(model, equalities);
  if (statement !== undefined) return statement;
  const builder = new StatementBuilder(model);
  builder.list(equalities, " and ", ([name, value]) =>
    appendEquality(builder, model, requireColumn(model, name), value),
  );
  return equalities.length === 0 ? always : builder.build(untypedRow);
}

/** Joins conditions, at least one. As nested templates: their text is compiled once, that of `sql.join` at each call. */
export function joinConditions(conditions: readonly SqlPart[], operator: "and" | "or"): SqlPart {
  return conditions
    .map((condition): SqlPart => sql`(${condition})`)
    .reduce((left, right) => (operator === "and" ? sql`${left} and ${right}` : sql`${left} or ${right}`));
}

/**
 * Returns the condition that columns equal single values, as most conditions are; `undefined` for another one. It takes a
 * third of the time of a builder.
 */
function singleValues(
  { name: table, columnsByName, templates }: TableModel,
  equalities: readonly (readonly [name: string, value: unknown])[],
): SqlPart | undefined {
  const values: unknown[] = [];
  let key = "=";
  for (const [name, value] of equalities) {
    const column = columnsByName.get(name);
    if (column === undefined || column.encryption !== undefined || column.storage.type === "json") return undefined;
    if (value === undefined || value === null || (typeof value === "object" && !(value instanceof Date)))
      return undefined;
    if (column.storage.type === "uuid" && !isUuidText(value)) return undefined;
    values.push(
      columnFragment(name),
      column.storage.type === "uuid" ? (value as string).toLowerCase() : encodeColumn(table, column, value),
    );
    key += ` ${name}`;
  }
  if (values.length === 0) return undefined;
  const stringsOf = (): readonly string[] => [
    ...equalities.flatMap((_, index) => [index === 0 ? "" : " and ", " = "]),
    "",
  ];
  return new Statement(cachedTemplate(templates, key, stringsOf), values, untypedRow);
}

/** Returns the columns and values of equalities. Throws E_TABLE for another value: a promise would match all rows. */
export function equalitiesOf(
  model: TableModel,
  condition: unknown,
): readonly (readonly [name: string, value: unknown])[] {
  if (isPlainObject(condition)) return Object.entries(condition);
  throw errors.E_TABLE(
    model.name,
    "a condition must be an object of columns with their values, sql`…`, or a list of them that is not empty.",
  );
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // `Object.prototype`, also that of another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns a column of a table. Throws E_TABLE_COLUMN. */
export function requireColumn(model: TableModel, name: string): TableColumn {
  const column = model.columnsByName.get(name);
  if (column === undefined) throw errors.E_TABLE_COLUMN(model.name, name, [...model.columnsByName.keys()]);
  return column;
}

function appendEquality(builder: StatementBuilder, model: TableModel, column: TableColumn, value: unknown): void {
  const { name, storage, encryption } = column;
  const isUnindexed = encryption !== undefined && encryption.blindIndex === undefined;
  if (storage.type === "json" || isUnindexed) {
    const reason = encryption === undefined ? "is JSON" : "is encrypted without a blind index";
    throw errors.E_TABLE(model.name, `the column "${name}" ${reason}, so that it cannot be compared.`);
  }
  if (value === undefined)
    throw errors.E_TABLE_VALUE(model.name, name, `${column.type.expected}; null means NULL`, "undefined");
  const storedColumn = encryption?.blindIndex ?? name;
  if (value === null) {
    builder.name(storedColumn).text(" is null");
    return;
  }
  const values = storedValues(model, column, [value].flat());
  const [first] = values;
  if (first === undefined) builder.part(never);
  else if (values.length === 1) builder.name(storedColumn).text(" = ").value(first);
  else builder.part(sql.in(columnFragment(storedColumn), values));
}

/** Returns the values to compare a column with. A text that is no UUID equals no UUID. */
export function storedValues(model: TableModel, column: TableColumn, values: readonly unknown[]): readonly unknown[] {
  const possible =
    column.storage.type === "uuid" ? values.filter((value) => typeof value !== "string" || isUuidText(value)) : values;
  const encoded = possible.map((value) => {
    if (value !== null && value !== undefined) return encodeColumn(model.name, column, value);
    throw errors.E_TABLE_VALUE(model.name, column.name, `${column.type.expected} in a list`, String(value));
  });
  if (column.encryption === undefined) return encoded;
  return encoded.flatMap((value) => blindIndexes(model.name, column, value));
}

/** Table whose rows are ordered. Related tables that `Table.make` did not create have only a name. */
type OrderedTable = Pick<TableModel, "name"> & Partial<Pick<TableModel, "columnsByName">>;

/**
 * Returns the clause after `order by`. Rows with equal values are ordered by id. With a qualifier, the columns are those of
 * the table with this name. Throws E_TABLE_COLUMN, E_TABLE for an encrypted column and for another direction than asc and
 * desc.
 */
export function orderPart(
  table: OrderedTable,
  row: RowType<unknown>,
  orderBy: unknown = "id",
  qualifier?: string,
): SqlPart {
  const directions: Readonly<Record<string, unknown>> =
    typeof orderBy === "string" ? { [orderBy]: "asc" } : { ...(orderBy as object) };
  const order = Object.entries(directions).map(([name, direction]) => sortColumn(table, row, name, direction));
  const idIndex = order.findIndex(({ column }) => column === "id");
  if (idIndex === -1) order.push({ column: "id", direction: order.at(-1)?.direction ?? "asc", isNullable: false });
  else order.length = idIndex + 1;
  const qualified =
    qualifier === undefined ? order : order.map((entry) => ({ ...entry, column: `${qualifier}.${entry.column}` }));
  return orderClause(qualified);
}

function sortColumn(
  { name: table, columnsByName }: OrderedTable,
  row: RowType<unknown>,
  name: string,
  direction: unknown,
): SortColumn {
  if (!row.columns.includes(name)) throw errors.E_TABLE_COLUMN(table, name, row.columns);
  const column = columnsByName?.get(name);
  if (column?.encryption !== undefined || column?.storage.type === "json") {
    const reason = column.encryption === undefined ? "is JSON" : "is encrypted";
    throw errors.E_TABLE(table, `rows cannot be ordered by "${name}", which ${reason}.`);
  }
  if (direction !== "asc" && direction !== "desc") {
    throw errors.E_TABLE(table, `the direction of "${name}" must be asc or desc.`);
  }
  return { column: name, direction, isNullable: row.isNullable(name), decimal: decimalSize(row.storageOf?.(name)) };
}
