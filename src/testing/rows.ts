import { AssertionError } from "node:assert";
import { type DatabaseOperations, Row, sql, type SqlPart } from "../database/index.ts";

/** Table whose rows are asserted: one of `Table.make`. */
export interface AssertedTable<Condition> {
  readonly name: string;
  where(condition: Condition): SqlPart;
}

/** Values by column name. A list matches any of its values, and null matches NULL. */
export type RowConditions = Readonly<Record<string, unknown>>;

type Target<Condition> = AssertedTable<Condition> | string;

/**
 * Verifies that at least one row of a table matches. The table is one of `Table.make`, or a name. Rows that are deleted
 * softly count: add `deleted_at: null` to leave them out.
 *
 * @throws AssertionError with some of the table's rows.
 * @example
 * await assertRow(database, issues, { title: "Broken", state: "open" });
 */
export async function assertRow<Condition = RowConditions>(
  database: DatabaseOperations,
  table: Target<Condition>,
  condition: NoInfer<Condition>,
): Promise<void> {
  if ((await countRows(database, table, condition)) > 0) return;
  throw await rowError(database, table, condition, {
    message: `No row of "${nameOf(table)}" has ${describeCondition(condition)}.`,
    stackStartFn: assertRow,
  });
}

/**
 * Verifies that no row of a table matches, as `assertRow`.
 *
 * @throws AssertionError
 * @example
 * await assertNoRow(database, "issues", { id });
 */
export async function assertNoRow<Condition = RowConditions>(
  database: DatabaseOperations,
  table: Target<Condition>,
  condition: NoInfer<Condition>,
): Promise<void> {
  const count = await countRows(database, table, condition);
  if (count === 0) return;
  throw await rowError(database, table, condition, {
    message: `${count === 1 ? "A row" : `${count} rows`} of "${nameOf(table)}" should not exist with ${describeCondition(condition)}.`,
    stackStartFn: assertNoRow,
  });
}

/**
 * Verifies the number of rows that match, or of all rows of a table.
 *
 * @throws AssertionError
 * @example
 * await assertRowCount(database, issues, 2, { state: "open" });
 */
export async function assertRowCount<Condition = RowConditions>(
  database: DatabaseOperations,
  table: Target<Condition>,
  expected: number,
  condition?: NoInfer<Condition>,
): Promise<void> {
  const actual = await countRows(database, table, condition);
  if (actual === expected) return;
  const suffix = condition === undefined ? "" : ` with ${describeCondition(condition)}`;
  throw await rowError(database, table, condition, {
    message: `"${nameOf(table)}" has ${actual} rows${suffix}, and ${expected} were expected.`,
    actual,
    expected,
    stackStartFn: assertRowCount,
  });
}

const nameOf = (table: Target<never>): string => (typeof table === "string" ? table : table.name);

function countRows<Condition>(
  database: DatabaseOperations,
  table: Target<Condition>,
  condition: Condition | undefined,
): Promise<number> {
  const name = nameOf(table);
  return database.find(
    sql.value(Row.int)`select count(*) from ${sql.identifier(name, [name])} ${whereOf(table, condition)}`,
  );
}

function whereOf<Condition>(table: Target<Condition>, condition: Condition | undefined): SqlPart {
  if (condition === undefined) return sql``;
  if (typeof table !== "string") return sql`where ${table.where(condition)}`;
  const parts = Object.entries(condition as RowConditions).map(([column, value]) => {
    const name = sql.identifier(column, [column]);
    if (value === null) return sql`${name} is null`;
    return Array.isArray(value) ? sql.in(name, value) : sql`${name} = ${value}`;
  });
  return parts.length === 0 ? sql`` : sql`where ${sql.join(parts, sql` and `)}`;
}

const maxShownRows = 5;
const maxShownLength = 200;

/** Creates the error of an assertion, which shows some of the table's rows. */
async function rowError<Condition>(
  database: DatabaseOperations,
  table: Target<Condition>,
  condition: Condition | undefined,
  options: ConstructorParameters<typeof AssertionError>[0] & { readonly message: string },
): Promise<AssertionError> {
  const name = sql.identifier(nameOf(table), [nameOf(table)]);
  const columns = Object.keys(condition ?? {}).filter((column) => /^[A-Za-z_]\w*$/.test(column));
  const isPlain = columns.length > 0 && isPlainObject(condition);
  const selected = isPlain ? sql.join(columns.map((column) => sql.identifier(column, [column]))) : sql`*`;
  const rows = await database.collect(sql`select ${selected} from ${name} limit ${maxShownRows + 1}`);
  const lines = rows.slice(0, maxShownRows).map((row) => `  ${shorten(toJson(row))}`);
  if (rows.length > maxShownRows) lines.push("  …");
  const shown = lines.length === 0 ? "The table is empty." : `Rows of the table:\n${lines.join("\n")}`;
  return new AssertionError({ ...options, message: `${options.message} ${shown}` });
}

const shorten = (text: string): string => (text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text);

const isPlainObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Describes conditions as JSON. SQL has no description. */
const describeCondition = (condition: unknown): string =>
  isPlainObject(condition) ? toJson(condition) : "the condition";

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
