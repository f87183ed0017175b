export { createStatements } from "../table/create-statements.ts";
export type { TableDatabase as Database } from "../table/database.ts";
export type { TableDefinition as Definition } from "../table/definition.ts";
export {
  type ColumnDescription,
  describe,
  type ForeignKeyDescription,
  type TableDescription,
} from "../table/description.ts";
export type { Links } from "../table/links.ts";
export { makeTable as make } from "../table/make.ts";
export { migration } from "./table-migration.ts";
export { type Reencryption, reencrypt } from "../table/reencrypt.ts";
export {
  type BelongsTo,
  belongsTo,
  type HasMany,
  hasMany,
  type HasOne,
  hasOne,
  type ManyToMany,
  manyToMany,
  type RelatedTable,
  type Relations,
  relationsOf,
} from "../table/relation.ts";
export type { Infer, Table } from "../table/table.ts";
