export type { ColumnType, RowType } from "./row/column-type.ts";
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
} from "./contract.ts";
export { type Database, type DatabaseDefinition, type DatabaseOptions, makeDatabase } from "./database.ts";
export { deleteExpired, type ExpiredRows } from "./expiry.ts";
export { isForeignKeyViolation, isUniqueViolation } from "./driver-error.ts";
export type { Handle, TransactionCallback } from "./handle.ts";
export type { DatabaseOperations } from "./operations.ts";
export type { OperationOptions, QueryOptions, StreamOptions, TransactionOptions } from "./options.ts";
export type { PoolStats } from "./pool/connection-pool.ts";
export type { PoolDefinition } from "./pool/pool-registry.ts";
export * as Row from "./row/row.ts";
export type { UntypedRow } from "./row/untyped-row.ts";
export { type Sql, sql, type SqlTag } from "./statement/sql.ts";
export type { Fragment, SqlPart, Statement } from "./statement/statement.ts";
export { prepareSearchRequest, type SearchDefinition, type SearchRequest } from "./search/search-request.ts";
export {
  runCursorSearch,
  runSearchRequest,
  searchCursor,
  type SearchCursors,
  type UncountedCursors,
} from "./search/run-search.ts";
export type { AnySearchParameters, SearchParameters, UncountedParameters } from "./search/search-parameters.ts";
export { filterIndex, type FilterIndex } from "./search/filter-index.ts";
export {
  type DialectStatements,
  fullTextIndex,
  type FullTextIndex,
  type FullTextOptions,
} from "./search/full-text-index.ts";
export type {
  CustomFilter,
  FilterRange,
  FilterScalar,
  FilterTypes,
  FilterValue,
  FilterValues,
} from "./search/filter-by.ts";
export * as Migration from "./migration/migration.ts";
export * as Seed from "./seed/seed.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { LintFinding } from "./migration/lint/lint.ts";
export type { Drift } from "./migration/schema/drift.ts";
export type { StepStatus } from "./migration/status.ts";
export type { MigrationService } from "./migration/service.ts";
export type { Migration as MigrationValue, Step } from "./migration/step.ts";
export type { SeedService } from "./seed/seed.ts";
