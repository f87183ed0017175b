// For policies, which are conditions of tables.
export {
  always,
  conditionPart,
  equalitiesOf,
  isSqlPart,
  joinConditions,
  never,
  requireColumn,
  storedValues,
} from "./conditions.ts";
export { appendAnyOf, dialectOf } from "./database.ts";
export { hidesDeleted } from "./load.ts";
export { type AnyRow, modelOf, requireModel, type ResolvedRelation, type TableModel } from "./model.ts";
export { observeOperations, type TableOperation } from "./observe.ts";
export { StatementBuilder } from "./statement-builder.ts";
export { isUuidText } from "./values.ts";
export { columnFragment } from "./search/sort-order.ts";
