export { createStatements } from "./create-statements.ts";
export type { TableDatabase as Database } from "./database.ts";
export type { TableDefinition as Definition } from "./definition.ts";
export { type ColumnDescription, describe, type ForeignKeyDescription, type TableDescription } from "./description.ts";
export type { Links } from "./links.ts";
export { makeTable as make } from "./make.ts";
export { migration } from "./migration.ts";
export { type Reencryption, reencrypt } from "./reencrypt.ts";
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
} from "./relation.ts";
export type { Infer, Table } from "./table.ts";
