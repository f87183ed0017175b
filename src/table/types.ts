import type { ColumnType, SqlPart } from "../database/index.ts";

/** Column types by name. */
export type TableColumns = Readonly<Record<string, ColumnType<unknown>>>;

type ValuesOf<C extends TableColumns> = {
  readonly [Name in keyof C]: C[Name] extends ColumnType<infer Value> ? Value : never;
};

/**
 * Expands an intersection, so that editors show its properties: `Readonly<{ id: string; name: string }>`. With `& {}`, they
 * do not show the name of this type.
 */
export type Flat<T> = Readonly<{ -readonly [Name in keyof T]: T[Name] } & {}>;

/** Row of a table: id, schema, columns, timestamps, version, and time of deletion. A column replaces a field of its name. */
export type TableRow<S, C extends TableColumns, T, V, D> = Flat<
  { readonly id: string } & (keyof C & keyof S extends never ? S : Omit<S, keyof C>) &
    ValuesOf<C> &
    (T extends true ? { readonly created_at: Date; readonly updated_at: Date } : unknown) &
    (V extends true ? { readonly version: number } : unknown) &
    (D extends true ? { readonly deleted_at: Date | null } : unknown)
>;

/** Names of the columns that a table sets itself. */
export type OwnName<T, V, D> =
  | "id"
  | (T extends true ? "created_at" | "updated_at" : never)
  | (V extends true ? "version" : never)
  | (D extends true ? "deleted_at" : never);

type OptionalNames<E> = {
  [Name in keyof E]-?: undefined extends E[Name] ? Name : null extends E[Name] ? Name : never;
}[keyof E];

/** Columns that `insert` sets unless they are given. */
interface OwnValues {
  readonly id?: string;
  readonly created_at?: Date;
  readonly updated_at?: Date;
  readonly version?: number;
}

/** Values of `insert`. Columns that can be NULL, and those that the table sets, may be absent. */
export type NewRow<E> = { [Name in Exclude<keyof E, OptionalNames<E>>]: E[Name] } & {
  [Name in OptionalNames<E>]?: E[Name] | null | undefined;
} & Omit<OwnValues, keyof E>;

/** Values of `update`: `undefined` and `null` of a column that can be NULL set it to NULL. */
export type Changes<E> = {
  readonly [Name in keyof E]?: undefined extends E[Name]
    ? E[Name] | null
    : null extends E[Name]
      ? E[Name] | undefined
      : E[Name];
};

/** Item to change: a row, or its id. A table with versions also needs the version that was read, or `any`. */
export type ItemReference<Own> = "version" extends Own
  ? { readonly id: string; readonly version: number | "any" }
  : { readonly id: string };

/** Value of an equality condition: one value, several of which one must match, or null for NULL. */
type Equality<Value> =
  | NonNullable<Value>
  | readonly NonNullable<Value>[]
  | (undefined extends Value ? null : null extends Value ? null : never);

/** Equality conditions by column name, all of which must match. */
export type Equalities<Row> = { readonly [Name in keyof Row]?: Equality<Row[Name]> };

/** Condition: equalities by column name, or SQL. All conditions of a list must match. */
export type Condition<Row> = SingleCondition<Row> | readonly SingleCondition<Row>[];

type SingleCondition<Row> = Equalities<Row> | SqlPart;

/** Order: a column name, or directions by column name. */
export type Order<Name extends string> = Name | { readonly [Column in Name]?: "asc" | "desc" };
