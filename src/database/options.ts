import type { ContextOptions } from "../core/index.ts";
import type { Isolation } from "./contract.ts";

/** What every operation may be given, last. */
export interface Options extends ContextOptions {
  /** Gives the operation up when it is aborted; the operation then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long the operation may take in all, in milliseconds; then it throws E_DATABASE_TIMEOUT. */
  readonly timeout?: number;
}

/** What `query` may be given. */
export interface QueryOptions extends Options {
  /** Whether only reading is allowed; on SQLite, readers do not wait for the writer. Default false. */
  readonly readOnly?: boolean;
}

/** What `transaction` may be given. Inside another transaction all but `signal` and `timeout` is ignored. */
export interface TransactionOptions extends QueryOptions {
  /** Default: `read committed` on PostgreSQL and MariaDB; SQLite is always serializable. */
  readonly isolation?: Isolation;
  /**
   * How often the whole work is run again after a deadlock or serialization failure, with growing pauses. Default 0.
   * The work must then have no effect outside the database.
   */
  readonly retry?: number;
}

/** What `stream` may be given. */
export interface StreamOptions extends Options {
  /** About how many rows are held in memory at once. Default 500. */
  readonly batch?: number;
}
