import type { Dialect } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ColumnType, RowType } from "../row/column-type.ts";
import * as Row from "../row/row.ts";
import { untypedRow, type UntypedRow } from "../row/untyped-row.ts";
import { ContainedText, Json } from "./encode.ts";
import { type DialectParts, Fragment, type SqlPart, Statement, typeCacheOf } from "./statement.ts";

/** Template tag that creates statements with one type of rows. */
export type SqlTag<T> = (strings: TemplateStringsArray, ...values: readonly unknown[]) => Statement<T>;

/** Template tag `sql` with its functions. */
export interface Sql extends SqlTag<UntypedRow> {
  /** Returns the tag for statements whose rows a row type reads. */
  readonly row: <T>(row: RowType<T>) => SqlTag<T>;
  /** Returns the tag for statements with one column: `` sql.value(Row.int)`select count(*) from todos` ``. */
  readonly value: <T>(column: ColumnType<T>) => SqlTag<T>;
  /** Returns the quoted columns of a row type, separated by commas, each prefixed with the table alias if one is given. */
  readonly columns: (row: RowType<unknown>, alias?: string) => Fragment;
  /**
   * Returns a quoted identifier that is known only at run time, such as a column name. Throws E_SQL_IDENTIFIER if it is
   * not in the list of allowed names.
   */
  readonly identifier: (name: string, allowed: readonly string[]) => Fragment;
  /** Returns `expression in (…)`. Always false for an empty list. */
  readonly in: (expression: SqlPart, values: readonly unknown[]) => Fragment;
  /** Returns `expression not in (…)`. Always true for an empty list. */
  readonly notIn: (expression: SqlPart, values: readonly unknown[]) => Fragment;
  /** Joins statements or fragments with a comma or with another statement as the separator. */
  readonly join: (parts: readonly SqlPart[], separator?: SqlPart) => Fragment;
  /** Returns `expression like '%text%'` with wildcards in the text escaped. Ignores ASCII case only. */
  readonly contains: (expression: SqlPart, text: string) => Statement<UntypedRow>;
  /** Returns the sum of an expression of decimals or whole numbers, exact on every database. Read it with `Row.decimal`. */
  readonly sum: (expression: SqlPart) => Statement<UntypedRow>;
  /** Returns the product of two expressions of decimals or whole numbers, exact on every database. */
  readonly product: (left: SqlPart, right: SqlPart) => Statement<UntypedRow>;
  /**
   * Returns a decimal, a column or a bound value, for a comparison or an order by its number, exact on every database:
   * `` sql`${sql.decimal(sql`price`)} > ${sql.decimal("9.50")}` ``. Both sides need it. Throws E_SQL_VALUE for too many digits.
   */
  readonly decimal: (operand: unknown) => Statement<UntypedRow>;
  /** Creates a value that is bound as JSON. */
  readonly json: (value: unknown) => Json;
  /** Returns the statement for the dialect of the database. */
  readonly dialect: (parts: DialectParts) => Fragment;
}

const makeTag =
  <T>(rowType: RowType<T>): SqlTag<T> =>
  (strings, ...values) =>
    new Statement(strings, values, rowType);

const cachedTag = <T>(type: object, make: () => SqlTag<T>): SqlTag<T> =>
  (typeCacheOf(type).tag ??= make()) as SqlTag<T>;

/** Returns true for a name that belongs to the framework: its statements have aliases with this prefix. */
export const isReservedName = (name: string): boolean => /^limmat_/i.test(name);

/** Quotes an identifier for a dialect. Quotes both names of `alias.column`. */
function quoteIdentifier(name: string, dialect: Dialect): string {
  return name
    .split(".")
    .map((part) => {
      if (!/^[A-Za-z_]\w*$/.test(part))
        throw errors.E_SQL_IDENTIFIER(name, "it must consist of letters, digits and underscores.");
      return dialect.identifierQuote + part + dialect.identifierQuote;
    })
    .join(".");
}

/** Creates a fragment of a text that depends on nothing but the dialect. */
const constantFragment = (textFor: (dialect: Dialect) => string): Fragment =>
  new Fragment(({ dialect, appendText }) => appendText(textFor(dialect)), { isConstant: true });

/** Creates a fragment of a quoted identifier. The name must come from code. */
export const identifierFragment = (name: string): Fragment =>
  constantFragment((dialect) => quoteIdentifier(name, dialect));

/** Creates a fragment of verbatim SQL. The text must come from code. */
export const rawFragment = (text: string): Fragment => constantFragment(() => text);

function columns(row: RowType<unknown>, alias = ""): Fragment {
  const { columnLists } = typeCacheOf(row);
  let fragment = columnLists.get(alias);
  if (fragment === undefined) {
    const names = row.columns.map((column) => (alias === "" ? column : `${alias}.${column}`));
    fragment = constantFragment((dialect) => names.map((name) => quoteIdentifier(name, dialect)).join(", "));
    columnLists.set(alias, fragment);
  }
  return fragment;
}

function identifier(name: string, allowed: readonly string[]): Fragment {
  if (!allowed.includes(name)) throw errors.E_SQL_IDENTIFIER(name, `allowed names: ${allowed.join(", ") || "none"}.`);
  return identifierFragment(name);
}

function listCondition(expression: SqlPart, values: readonly unknown[], operator: string, whenEmpty: string): Fragment {
  if (values.length === 0) return rawFragment(whenEmpty);
  // Lists of similar length share one text: the last value is repeated up to the next power of two.
  const length = Math.min(2 ** Math.ceil(Math.log2(values.length)), Math.max(values.length, 1024));
  return new Fragment((writer) => {
    expression.write(writer);
    writer.appendText(` ${operator} (`);
    for (let index = 0; index < length; index++) {
      if (index > 0) writer.appendText(", ");
      const value = values[Math.min(index, values.length - 1)];
      if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, operator);
      writer.appendValue(value);
    }
    writer.appendText(")");
  });
}

const comma = rawFragment(", ");

function join(parts: readonly SqlPart[], separator: SqlPart = comma): Fragment {
  return new Fragment((writer) => {
    for (const [index, part] of parts.entries()) {
      if (index > 0) separator.write(writer);
      part.write(writer);
    }
  });
}

const likePart = (index: 0 | 1 | 2, isShort: boolean): Fragment =>
  constantFragment((dialect) => ((isShort && dialect.shortLikeParts) || dialect.likeParts)[index]);
const longLike = [likePart(0, false), likePart(1, false), likePart(2, false)] as const;
const shortLike = [likePart(0, true), likePart(1, true), likePart(2, true)] as const;

function contains(expression: SqlPart, text: string): Statement<UntypedRow> {
  const value = new ContainedText(text);
  const [beforeExpression, betweenOperands, afterValue] = value.isShort ? shortLike : longLike;
  return sql`${beforeExpression}${expression}${betweenOperands}${value}${afterValue}`;
}

/** Returns a fragment of one text on SQLite, and of another one on the other databases. */
export const onSqlite = (text: string, otherwise = ""): Fragment =>
  constantFragment(({ name }) => (name === "sqlite" ? text : otherwise));
const sumStart = onSqlite("limmat_sum(", "sum(");
const [productStart, times] = [onSqlite("limmat_product(", "("), onSqlite(", ", " * ")];
const [decimalStart, decimalEnd] = [onSqlite("limmat_decimal("), onSqlite(")")];

/** Returns an operand. Throws E_SQL_VALUE for a decimal that MariaDB would round. */
function exactDecimal(operand: unknown): unknown {
  const [, whole = "", fraction = ""] = /^-?0*(\d*)(?:\.(\d*?)0*)?$/.exec(String(operand)) ?? [];
  if (fraction.length <= 38 && whole.length + fraction.length <= 65) return operand;
  throw errors.E_SQL_VALUE("a decimal with more than 65 digits, or 38 after the point", "Round it.");
}

/**
 * Creates a statement from a template. Every `${value}` is bound as a parameter, never interpolated. Statements and
 * fragments become part of the text. The text is compiled once per template and prepared once per connection.
 *
 * Values can be text, finite numbers, bigints of 64 bits, booleans, dates, bytes, `sql.json(…)` and `null`. `undefined` is
 * an error, so that a missing value does not become NULL.
 *
 * @example
 * const todo = await database.findOpt(sql.row(todoRow)`select ${sql.columns(todoRow)} from todos where id = ${id}`);
 */
export const sql: Sql = Object.freeze(
  Object.assign(makeTag(untypedRow), {
    row: <T>(row: RowType<T>) => cachedTag(row, () => makeTag(row)),
    value: <T>(column: ColumnType<T>) => cachedTag(column, () => makeTag(Row.value(column))),
    columns,
    identifier,
    in: (expression: SqlPart, values: readonly unknown[]) => listCondition(expression, values, "in", "1 = 0"),
    notIn: (expression: SqlPart, values: readonly unknown[]) => listCondition(expression, values, "not in", "1 = 1"),
    join,
    contains,
    sum: (expression: SqlPart) => sql`${sumStart}${expression})`,
    product: (left: SqlPart, right: SqlPart) => sql`${productStart}${left}${times}${right})`,
    decimal: (operand: unknown) => sql`${decimalStart}${exactDecimal(operand)}${decimalEnd}`,
    json: (value: unknown) => new Json(value),
    dialect: (parts: DialectParts) => new Fragment((writer) => parts[writer.dialect.name].write(writer), { parts }),
  }),
);
