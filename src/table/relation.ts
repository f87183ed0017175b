import { errors } from "./errors.ts";
import type { RowType } from "../database/index.ts";
import type { Flat, Order } from "./types.ts";

/**
 * Relations by name. Functions, so that tables can refer to tables that are declared later. The result `void` keeps the
 * type checker from resolving it, so that tables can refer to each other in a circle.
 */
export type Relations = Readonly<Record<string, () => void>>;

/** Table that a relation can refer to. Its primary key is `id`. */
export interface RelatedTable<Row = unknown, R extends Relations = Relations> {
  readonly name: string;
  readonly row: RowType<Row>;
  readonly relations: R;
  /** Singular of the name, for names of foreign keys. Default: derived from the name. */
  readonly singular?: string;
}

/** Row of a table. */
export type RowOf<T> = T extends { readonly row: RowType<infer Row> } ? Row : never;

/** Behaviour of a foreign key when the referenced row is deleted. */
export type OnDelete = "cascade" | "set null" | "restrict";

/** Relation to the one row that a foreign key of this table refers to. */
export interface BelongsTo<T extends RelatedTable, C extends string | undefined = string | undefined> {
  readonly kind: "belongsTo";
  readonly target: T;
  readonly column: C;
  readonly onDelete: OnDelete;
}

/** Relation to the rows whose foreign key refers to this table. */
export interface HasMany<T extends RelatedTable> {
  readonly kind: "hasMany";
  readonly target: T;
  readonly column: string | undefined;
  readonly orderBy: Order<keyof RowOf<T> & string> | undefined;
}

/** Relation to the one row whose foreign key refers to this table. */
export interface HasOne<T extends RelatedTable> {
  readonly kind: "hasOne";
  readonly target: T;
  readonly column: string | undefined;
}

/** Relation through a join table. */
export interface ManyToMany<T extends RelatedTable> {
  readonly kind: "manyToMany";
  readonly target: T;
  readonly through: string;
  readonly column: string | undefined;
  readonly targetColumn: string | undefined;
  readonly orderBy: Order<keyof RowOf<T> & string> | undefined;
}

/** Options of `belongsTo`. */
interface BelongsToOptions<C extends string | undefined> {
  /** Foreign key of this table. Default: the relation's name with `_id`. */
  readonly column?: C;
  /** Behaviour when the referenced row is deleted. Default `restrict`: it cannot be deleted. */
  readonly onDelete?: OnDelete;
}

/** Options of `hasOne`. */
interface HasOneOptions {
  /** Foreign key of the target. Default: the singular of this table's name with `_id`. */
  readonly column?: string;
}

/** Options of `hasMany`. `Name` is the name of a column of the target. */
interface HasManyOptions<Name extends string> extends HasOneOptions {
  /** Order of the loaded rows: a column, or directions by column. Default: by id. */
  readonly orderBy?: Order<Name>;
}

/** Options of `manyToMany`. `Name` is the name of a column of the target. */
interface ManyToManyOptions<Name extends string> extends Pick<HasManyOptions<Name>, "orderBy"> {
  /** Name of the join table. */
  readonly through: string;
  /** Column of the join table that refers to this table. Default: the singular of this table's name with `_id`. */
  readonly column?: string;
  /** Column of the join table that refers to the target. Default: the singular of the target's name with `_id`. */
  readonly targetColumn?: string;
}

/** Any relation. */
export type Relation =
  | BelongsTo<RelatedTable>
  | HasMany<RelatedTable>
  | HasOne<RelatedTable>
  | ManyToMany<RelatedTable>;

/**
 * Relates a table to the one row that its foreign key refers to. If the foreign key cannot be NULL, the loaded row is never
 * `undefined`, unless it is deleted by `softDelete`.
 */
export function belongsTo<T extends RelatedTable, const C extends string | undefined = undefined>(
  target: T,
  options: BelongsToOptions<C> = {},
): BelongsTo<T, C> {
  return Object.freeze({
    kind: "belongsTo",
    target,
    // The type parameter is `undefined` if there is no column.
    column: options.column as C,
    onDelete: options.onDelete ?? "restrict",
  });
}

/**
 * Returns names as relations of a table, for `with`. The loaded relations are optional properties of the rows, because
 * only the names at run time say which were loaded.
 *
 * @throws E_TABLE_RELATION for the name of no relation.
 * @example
 * issues.find(database, id, { with: Table.relationsOf(issues, options.include) });
 */
export function relationsOf<R extends Relations>(
  table: RelatedTable<unknown, R>,
  names: readonly string[] = [],
): readonly (keyof R & string)[] {
  const { name, relations } = table;
  const unknownName = names.find((candidate) => !Object.hasOwn(relations, candidate));
  if (unknownName !== undefined) throw errors.E_TABLE_RELATION(name, unknownName, Object.keys(relations));
  return names;
}

/** Relates a table to the rows whose foreign key refers to it. */
export function hasMany<T extends RelatedTable>(
  target: T,
  options: HasManyOptions<keyof RowOf<T> & string> = {},
): HasMany<T> {
  return Object.freeze({ kind: "hasMany", target, column: options.column, orderBy: options.orderBy });
}

/** Relates a table to the one row whose foreign key refers to it. */
export function hasOne<T extends RelatedTable>(target: T, options: HasOneOptions = {}): HasOne<T> {
  return Object.freeze({ kind: "hasOne", target, column: options.column });
}

/** Relates two tables through a join table with two columns: one refers to this table, the other to the target. */
export function manyToMany<T extends RelatedTable>(
  target: T,
  options: ManyToManyOptions<keyof RowOf<T> & string>,
): ManyToMany<T> {
  const { through, column, targetColumn, orderBy } = options;
  return Object.freeze({ kind: "manyToMany", target, through, column, targetColumn, orderBy });
}

/** Table that a relation refers to. */
export type TargetOf<R extends Relations, Name extends keyof R> =
  ReturnType<R[Name]> extends { readonly target: infer T extends RelatedTable } ? T : never;

/** Relations to load: names, or nested relations by name: `["labels", { project: ["owner"] }]`. */
export type WithOf<R extends Relations> = readonly WithEntry<R>[] | [];

type WithEntry<R extends Relations> =
  | (keyof R & string)
  | { readonly [Name in keyof R]?: WithOf<TargetOf<R, Name>["relations"]> };

/** Names of the relations with several rows. */
export type CountName<R extends Relations> = {
  [Name in keyof R]: ReturnType<R[Name]> extends { readonly kind: "hasMany" | "manyToMany" } ? Name : never;
}[keyof R] &
  string;

/** Names of the relations through a join table. */
export type LinkName<R extends Relations> = {
  [Name in keyof R]: ReturnType<R[Name]> extends { readonly kind: "manyToMany" } ? Name : never;
}[keyof R];

/** Any relations to load. */
export type AnyWith = readonly (string | object)[];

/** Row with its loaded relations and counts. Those of a list whose names are known only at run time are optional. */
export type Loaded<Row, R extends Relations, W, N = readonly []> = [W, N] extends [readonly [], readonly []]
  ? Row
  : Flat<Row & WithRelations<Row, R, W> & Counted<N>>;

type WithRelations<Row, R extends Relations, W> = W extends readonly (infer Entry)[]
  ? number extends W["length"]
    ? Partial<LoadedRelations<Row, R, Entry>>
    : LoadedRelations<Row, R, Entry>
  : unknown;

type LoadedRelations<Row, R extends Relations, Entry> = {
  readonly [Name in DirectNames<Entry> & keyof R]: LoadedValue<Row, ReturnType<R[Name]>, Name, NestedOf<Entry, Name>>;
};

/** Properties of `counts`: `comments_count`. */
type Counted<N> = N extends readonly []
  ? unknown
  : N extends readonly (infer Name extends string)[]
    ? { readonly [Key in `${Name}_count`]: number }
    : never;

type DirectNames<Entry> = Entry extends string ? Entry : keyof Entry;

type NestedOf<Entry, Name> = Entry extends { readonly [Key in Name & string]: infer Nested } ? Nested : never;

type LoadedValue<Row, Returned, Name, Nested> = Returned extends {
  readonly kind: infer Kind;
  readonly target: infer T extends RelatedTable;
}
  ? Kind extends "belongsTo"
    ? LoadedTarget<T, Nested> | MissingTarget<Row, ForeignKey<Returned, Name>, T>
    : Kind extends "hasOne"
      ? LoadedTarget<T, Nested> | undefined
      : readonly LoadedTarget<T, Nested>[]
  : never;

/** Column of a `belongsTo` relation. */
type ForeignKey<Returned, Name> = Returned extends { readonly column: infer C extends string }
  ? C
  : `${Name & string}_id`;

/** `undefined` if a foreign key can be NULL, or its target can be deleted by `softDelete`; otherwise never. */
type MissingTarget<Row, Column, T extends RelatedTable> = "deleted_at" extends keyof RowOf<T>
  ? undefined
  : Column extends keyof Row
    ? null extends Row[Column]
      ? undefined
      : Extract<Row[Column], undefined>
    : undefined;

type LoadedTarget<T extends RelatedTable, Nested> = Loaded<
  RowOf<T>,
  T["relations"],
  [Nested] extends [never] ? [] : Nested
>;
