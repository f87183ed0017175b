import type { BelongsTo, HasMany, HasOne, ManyToMany, RelatedTable, Relations, RowOf } from "./relation.ts";

/** Target of a relation. */
type TargetOf<R extends Relations, Name extends keyof R> =
  ReturnType<R[Name]> extends { readonly target: infer T extends RelatedTable } ? T : never;

/** Relations to load: names, or nested relations by name: `["labels", { project: ["owner"] }]`. */
export type WithOf<R extends Relations> = readonly WithEntry<R>[];

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

/** Row with its loaded relations. Those of a list whose names are known only at run time are optional. */
export type Loaded<Row, R extends Relations, W> = [W] extends [readonly []]
  ? Row
  : W extends { readonly length: infer Length }
    ? number extends Length
      ? Row & Partial<LoadedRelations<Row, R, W>>
      : Row & LoadedRelations<Row, R, W>
    : Row;

type LoadedRelations<Row, R extends Relations, W> = {
  readonly [Name in DirectNames<W> & keyof R]: LoadedValue<Row, R, Name, NestedOf<W, Name>>;
};

/** Properties of `counts`: `comments_count`. */
export type Counted<N> = N extends readonly []
  ? unknown
  : N extends readonly (infer Name extends string)[]
    ? { readonly [Key in `${Name}_count`]: number }
    : never;

type DirectNames<W> = W extends readonly (infer Entry)[] ? (Entry extends string ? Entry : keyof Entry) : never;

type NestedOf<W, Name> = W extends readonly (infer Entry)[]
  ? Entry extends { readonly [Key in Name & string]: infer Nested }
    ? Nested
    : never
  : never;

type LoadedValue<Row, R extends Relations, Name extends keyof R, Nested> =
  ReturnType<R[Name]> extends infer Relation
    ? Relation extends BelongsTo<infer T, infer C>
      ? LoadedTarget<T, Nested> | MissingTarget<Row, C extends string ? C : `${Name & string}_id`, T>
      : Relation extends HasOne<infer T>
        ? LoadedTarget<T, Nested> | undefined
        : Relation extends HasMany<infer T> | ManyToMany<infer T>
          ? readonly LoadedTarget<T, Nested>[]
          : never
    : never;

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
