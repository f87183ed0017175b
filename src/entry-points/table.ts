export * as Table from "./table-namespace.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { TableDatabase } from "../table/database.ts";
export type { TableDescription } from "../table/description.ts";
export type { Links } from "../table/links.ts";
export type { CountName, Loaded, WithOf } from "../table/relation.ts";
export type { Reencryption } from "../table/reencrypt.ts";
export type { BelongsTo, HasMany, HasOne, ManyToMany } from "../table/relation.ts";
export type {
  Table as TableValue,
  TableCollectOptions,
  TableCountOptions,
  TableReadOptions,
  TableSearchOptions,
} from "../table/table.ts";
export type { Changes, Condition, NewRow } from "../table/types.ts";
export type { UpsertOptions } from "../table/upsert.ts";
export type { ChangeOptions, DeleteOptions } from "../table/write.ts";
