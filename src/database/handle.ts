import type { Connection } from "./contract.ts";
import { errors } from "./errors.ts";
import { type DatabaseOperations, executorOf, type TransactionOptions } from "./operations.ts";
import type { DatabasePool } from "./pool/database-pool.ts";

/** Operations on one connection, for the callbacks of `query` and `transaction`. Unusable once the callback has ended. */
export interface Handle extends DatabaseOperations {
  /** Runs a callback in a transaction on this connection. Inside a transaction, it runs in a savepoint. */
  transaction<T>(callback: TransactionCallback<T>, options?: TransactionOptions): Promise<T>;
}

/** Callback of `query` and `transaction`. Its statements run on the connection of the handle. */
export type TransactionCallback<T> = (handle: Handle) => Promise<T> | T;

/** Driver connection of a handle, with its pool. */
export interface HandleConnection {
  readonly connection: Connection;
  readonly pool: DatabasePool;
}

/** Returns the driver connection of an open handle. For internal use in this module. Throws E_DATABASE_HANDLE_ENDED. */
export function connectionOf(handle: Handle): HandleConnection {
  const scope = executorOf(handle) as Partial<HandleConnection>;
  if (scope.connection === undefined || scope.pool === undefined) throw errors.E_DATABASE_HANDLE_ENDED();
  return scope as HandleConnection;
}

/** Returns true if the value of a callback is a `Result` that contains an error, for which a transaction is rolled back. */
export function isFailedResult(value: unknown): value is { readonly ok: false; readonly error: unknown } {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false && "error" in value;
}
