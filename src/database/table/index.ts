export * as Table from "./namespace.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { TableDatabase } from "./database.ts";
export type { TableDescription } from "./description.ts";
export type { Links } from "./links.ts";
export type { Counted, CountName, Loaded, WithOf } from "./loaded.ts";
export type { Reencryption } from "./reencrypt.ts";
export type { BelongsTo, HasMany, HasOne, ManyToMany } from "./relation.ts";
export type {
  Table as TableValue,
  TableCollectOptions,
  TableCountOptions,
  TableReadOptions,
  TableSearchOptions,
} from "./table.ts";
export type { Changes, Condition, NewRow } from "./types.ts";
export type { UpsertOptions } from "./upsert.ts";
export type { ChangeOptions, DeleteOptions } from "./write.ts";
