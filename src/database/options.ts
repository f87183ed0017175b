import type { CancellableOptions } from "../core/index.ts";
import type { Isolation } from "./contract.ts";

/** Options of every operation, as its last argument. */
export interface OperationOptions extends CancellableOptions {
  /** Maximum duration of the whole operation, in milliseconds. Beyond it, the operation throws E_DATABASE_TIMEOUT. */
  readonly timeoutMs?: number;
  /**
   * Maximum number of retries after a deadlock or serialization failure, with exponential backoff. Default 0. Applies to a
   * transaction, whose callback must have no effects outside the database, and to a single statement outside of one.
   */
  readonly maxRetries?: number;
}

/** Options of `query`. */
export interface QueryOptions extends OperationOptions {
  /** True if the callback only reads. On SQLite, readers do not wait for the writer. Default false. */
  readonly readOnly?: boolean;
}

/** Options of `transaction`. A nested transaction ignores all options except `signal` and `timeoutMs`. */
export interface TransactionOptions extends QueryOptions {
  /** Isolation level. Default `read committed` on PostgreSQL and MariaDB; SQLite is always serializable. */
  readonly isolation?: Isolation;
}

/** Options of `stream`. */
export interface StreamOptions extends OperationOptions {
  /** Approximate number of rows in memory at a time. Default 500. */
  readonly batchSize?: number;
}
