export { attempt, type Refusals, type WriteRefusal } from "../database/attempt.ts";
export type { ColumnType, RowType } from "../database/row/column-type.ts";
export type {
  BeginOptions,
  Column,
  ColumnKind,
  ColumnTypes,
  Connection,
  ConnectionKind,
  ConnectionUse,
  Dialect,
  DialectName,
  Driver,
  FailureKind,
  ForeignKeyViolation,
  Isolation,
  PreparedStatement,
  QueryResult,
  UniqueViolation,
} from "../database/contract.ts";
export { type Database, makeDatabase } from "../database/database.ts";
export type { DatabaseDefinition, DatabaseOptions } from "../database/settings.ts";
export { deleteExpired, type ExpiredRows } from "../database/expiry.ts";
export { isForeignKeyViolation, isUniqueViolation } from "../database/driver-error.ts";
export type { Handle, TransactionCallback } from "../database/handle.ts";
export type {
  DatabaseOperations,
  OperationOptions,
  QueryOptions,
  StreamOptions,
  TransactionOptions,
} from "../database/operations.ts";
export type { PoolStats } from "../database/pool/connection-pool.ts";
export type { PoolDefinition } from "../database/pool/pool-registry.ts";
export * as Row from "../database/row/row.ts";
export type { UntypedRow } from "../database/row/untyped-row.ts";
export { type Sql, sql, type SqlTag } from "../database/statement/sql.ts";
export type { Fragment, SqlPart, Statement } from "../database/statement/statement.ts";
export type { SearchCursors, UncountedCursors } from "../table/search/find-page.ts";
export {
  type DialectStatements,
  filterIndex,
  type FilterIndex,
  fullTextIndex,
  type FullTextIndex,
  type FullTextOptions,
} from "../table/search/search-index.ts";
export type { AnySearchParameters, SearchParameters, UncountedParameters } from "../table/search/search-parameters.ts";
export type { SearchDefinition } from "../table/search/search-plan.ts";
export {
  prepareSearchRequest,
  runCursorSearch,
  runSearchRequest,
  searchCursor,
  type SearchRequest,
} from "../table/search/search-request.ts";
export type {
  CustomFilter,
  FilterRange,
  FilterScalar,
  FilterTypes,
  FilterValue,
  FilterValues,
} from "../table/search/filter-by.ts";
export * as Migration from "../migration/migration.ts";
export * as Seed from "../migration/seed/seed.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { LintFinding } from "../migration/lint/lint.ts";
export type { Drift } from "../migration/schema/drift.ts";
export type { StepStatus } from "../migration/step.ts";
export type { MigratedService, MigrationService } from "../migration/service.ts";
export type { Migration as MigrationValue, Step } from "../migration/step.ts";
export type { SeedService } from "../migration/seed/seed.ts";
