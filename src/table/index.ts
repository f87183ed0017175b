// Exports for the other modules. Those of `limmat/table` are in `src/entry-points/table.ts`.
export {
  checkCondition,
  columnText,
  columnTypeText,
  createStatements,
  defaultText,
  foreignKeyText,
  indexName,
  indexText,
  quoteName,
  type SchemaDialect,
  statementsFor,
} from "./create-statements.ts";
export { type ColumnDescription, describe, type TableDescription, withJoinTables } from "./description.ts";
export { makeTable as make } from "./make.ts";
export { belongsTo, manyToMany, type RelatedTable, type Relations, type RowOf, type TargetOf } from "./relation.ts";
export * as TableInternals from "./internal.ts";
export type { TableDatabase } from "./database.ts";
export type { Condition } from "./types.ts";
