export type { ColumnType, RowType } from "./column-type.ts";
export type {
  Answer,
  Begin,
  Clash,
  Column,
  ColumnKind,
  ColumnTypes,
  Connection,
  Dialect,
  DialectName,
  Driver,
  FailureKind,
  Isolation,
  Lane,
  Prepared,
} from "./contract.ts";
export { type Database, type DatabaseDefinition, type DatabaseOptions, makeDatabase, type Work } from "./database.ts";
export { deleteUntil, type OldRows } from "./delete-until.ts";
export type { Handle } from "./handle.ts";
export type { Operations } from "./operations.ts";
export type { Options, QueryOptions, StreamOptions, TransactionOptions } from "./options.ts";
export type { PoolDefinition } from "./pools.ts";
export * as Row from "./row.ts";
export { type Sql, sql, type Tag } from "./sql.ts";
export type { Fragment, Statement } from "./statement.ts";
export { isTaken } from "./taken.ts";
export type { UntypedRow } from "./untyped-row.ts";
export { prepareSearchRequest, type SearchDefinition, type SearchRequest } from "./search.ts";
export { type Cursors, runCursorSearch, runSearchRequest, searchCursor, type SearchParameters } from "./search-page.ts";
export * as Migration from "./migration/migration.ts";
export * as Seed from "./seed/seed.ts";
