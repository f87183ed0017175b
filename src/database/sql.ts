import type { ColumnType, RowType } from "./column-type.ts";
import type { Dialect, DialectName } from "./contract.ts";
import { Json } from "./encode.ts";
import { errors } from "./errors.ts";
import * as Row from "./row.ts";
import { Fragment, Statement } from "./statement.ts";
import { untyped, type UntypedRow } from "./untyped-row.ts";

/** A template tag that makes statements whose rows are of one type. */
export type Tag<T> = (strings: TemplateStringsArray, ...values: readonly unknown[]) => Statement<T>;

/** The `sql` tag and what stands beside it. */
export interface Sql extends Tag<UntypedRow> {
  /** The tag for statements whose rows are read by a row type. */
  readonly row: <T>(row: RowType<T>) => Tag<T>;
  /** The tag for statements that give one column: `` sql.value(Row.int)`select count(*) from todos` ``. */
  readonly value: <T>(column: ColumnType<T>) => Tag<T>;
  /** The columns of a row type, quoted and separated by commas, each with the alias of its table if one is given. */
  readonly columns: (row: RowType<unknown>, alias?: string) => Fragment;
  /**
   * A name, such as that of a column, that is known only at run time. Throws E_SQL_IDENTIFIER when it is not one of
   * those allowed.
   */
  readonly identifier: (name: string, allowed: readonly string[]) => Fragment;
  /** `expression in (…)`: never true for an empty list. */
  readonly in: (expression: Statement<unknown> | Fragment, values: readonly unknown[]) => Fragment;
  /** `expression not in (…)`: always true for an empty list. */
  readonly notIn: (expression: Statement<unknown> | Fragment, values: readonly unknown[]) => Fragment;
  /** Statements or fragments one after the other, separated by a comma or by another statement. */
  readonly join: (parts: readonly (Statement<unknown> | Fragment)[], separator?: Statement<unknown>) => Fragment;
  /** `expression like '%text%'`, whatever signs the text holds, ignoring ASCII case and nothing else. */
  readonly contains: (expression: Statement<unknown> | Fragment, text: string) => Statement<UntypedRow>;
  /** A value that is bound as JSON. */
  readonly json: (value: unknown) => Json;
  /** What each database spells differently. */
  readonly dialect: (parts: Readonly<Record<DialectName, Statement<unknown>>>) => Fragment;
}

const tag =
  <T>(row: RowType<T>): Tag<T> =>
  (strings, ...values) =>
    new Statement(strings, values, row);

const rowTags = new WeakMap<object, unknown>();
const valueTags = new WeakMap<object, unknown>();

function kept<T>(tags: WeakMap<object, unknown>, key: object, make: () => Tag<T>): Tag<T> {
  let known = tags.get(key) as Tag<T> | undefined;
  if (known === undefined) tags.set(key, (known = make()));
  return known;
}

/** A name in the quotes of a dialect. The names of `alias.column` are quoted one by one. */
function quoteName(name: string, dialect: Dialect): string {
  return name
    .split(".")
    .map((part) => {
      if (!/^[A-Za-z_]\w*$/.test(part))
        throw errors.E_SQL_IDENTIFIER(name, "it must be letters, digits and underscores.");
      return dialect.quote + part + dialect.quote;
    })
    .join(".");
}

/** A name that comes from code, as a fragment. */
export function nameFragment(name: string): Fragment {
  return new Fragment((writer) => writer.text(quoteName(name, writer.dialect)), { isFixed: true });
}

/** A text that comes from code, as a fragment. */
export function textFragment(text: string): Fragment {
  return new Fragment((writer) => writer.text(text), { isFixed: true });
}

const columnFragments = new WeakMap<object, Map<string, Fragment>>();

function columns(row: RowType<unknown>, alias = ""): Fragment {
  let known = columnFragments.get(row);
  if (known === undefined) columnFragments.set(row, (known = new Map<string, Fragment>()));
  let fragment = known.get(alias);
  if (fragment === undefined) {
    const names = row.columns.map((column) => (alias === "" ? column : `${alias}.${column}`));
    fragment = new Fragment(({ dialect, text }) => text(names.map((name) => quoteName(name, dialect)).join(", ")), {
      isFixed: true,
    });
    known.set(alias, fragment);
  }
  return fragment;
}

function identifier(name: string, allowed: readonly string[]): Fragment {
  if (!allowed.includes(name)) throw errors.E_SQL_IDENTIFIER(name, `allowed are: ${allowed.join(", ") || "none"}.`);
  return nameFragment(name);
}

function list(
  expression: Statement<unknown> | Fragment,
  values: readonly unknown[],
  operator: string,
  empty: string,
): Fragment {
  if (values.length === 0) return new Fragment(({ text }) => text(empty), { isFixed: true });
  // Lists of similar length share one text: the last value is repeated up to the next power of two.
  const length = Math.min(2 ** Math.ceil(Math.log2(values.length)), Math.max(values.length, 1024));
  return new Fragment((writer) => {
    expression.write(writer);
    writer.text(` ${operator} (`);
    for (let index = 0; index < length; index++) {
      if (index > 0) writer.text(", ");
      const value = values[Math.min(index, values.length - 1)];
      if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, operator);
      writer.value(value);
    }
    writer.text(")");
  });
}

function join(parts: readonly (Statement<unknown> | Fragment)[], separator?: Statement<unknown>): Fragment {
  return new Fragment((writer) => {
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (separator === undefined) writer.text(", ");
        else separator.write(writer);
      }
      part.write(writer);
    }
  });
}

/** The pattern that matches texts that contain `text`, to be used with `!` as the escape sign. */
function containsPattern(text: string): string {
  return `%${text.replace(/[!%_]/g, "!$&")}%`;
}

const likePart = (position: 0 | 1 | 2): Fragment =>
  new Fragment(({ dialect, text }) => text(dialect.like[position]), { isFixed: true });
const [before, between, after] = [likePart(0), likePart(1), likePart(2)];

function contains(expression: Statement<unknown> | Fragment, text: string): Statement<UntypedRow> {
  return sql`${before}${expression}${between}${containsPattern(text)}${after}`;
}

/**
 * Makes a statement. Its text is what stands in the code; every `${value}` is bound, never pasted in, except statements
 * and fragments, which become a part of it. A text is put together once per place in the code and prepared once per
 * connection.
 *
 * Bound are text, finite numbers, bigints of 64 bits, booleans, dates, bytes, `sql.json(…)` and `null`. `undefined` is
 * an error, so that a forgotten value does not become NULL.
 *
 * @example
 * const todo = await database.findOpt(sql.row(todoRow)`select ${sql.columns(todoRow)} from todos where id = ${id}`);
 */
export const sql: Sql = Object.freeze(
  Object.assign(tag(untyped), {
    row: <T>(row: RowType<T>) => kept(rowTags, row, () => tag(row)),
    value: <T>(column: ColumnType<T>) => kept(valueTags, column, () => tag(Row.value(column))),
    columns,
    identifier,
    in: (expression: Statement<unknown> | Fragment, values: readonly unknown[]) =>
      list(expression, values, "in", "1 = 0"),
    notIn: (expression: Statement<unknown> | Fragment, values: readonly unknown[]) =>
      list(expression, values, "not in", "1 = 1"),
    join,
    contains,
    json: (value: unknown) => new Json(value),
    dialect: (parts: Readonly<Record<DialectName, Statement<unknown>>>) =>
      new Fragment((writer) => parts[writer.dialect.name].write(writer)),
  }),
);
