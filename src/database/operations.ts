import type { CancellableOptions } from "../core/index.ts";
import type { Isolation, QueryResult } from "./contract.ts";
import { withCaller } from "./caller.ts";
import { errors } from "./errors.ts";
import type { Statement } from "./statement/statement.ts";

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

/** Operations that run statements, on a database or on one of its connections. */
export interface DatabaseOperations {
  /**
   * Returns the only row of a statement.
   *
   * @throws E_DATABASE_NO_ROW, E_DATABASE_TOO_MANY_ROWS
   */
  find<T>(statement: Statement<T>, options?: OperationOptions): Promise<T>;
  /**
   * Returns the only row of a statement, or `undefined` if there is none.
   *
   * @throws E_DATABASE_TOO_MANY_ROWS
   */
  findOpt<T>(statement: Statement<T>, options?: OperationOptions): Promise<T | undefined>;
  /** Runs a statement and returns the number of rows that it inserted, updated or deleted. */
  exec(statement: Statement<unknown>, options?: OperationOptions): Promise<number>;
  /** Returns all rows of a statement. */
  collect<T>(statement: Statement<T>, options?: OperationOptions): Promise<readonly T[]>;
  /**
   * Yields the rows of a statement one by one, for results larger than memory. Ignores `timeoutMs`.
   *
   * Inside `query`, writes between the rows need a transaction around the stream and the writes: PostgreSQL runs a
   * stream outside a transaction in a read-only transaction, and no other one begins meanwhile (E_DATABASE_STREAM_OPEN).
   */
  stream<T>(statement: Statement<T>, options?: StreamOptions): AsyncIterable<T>;
}

/** Runs statements on behalf of the operations. */
export interface Executor {
  /** Returns the SQL of a statement on one line, for errors. */
  textOf(statement: Statement<unknown>, options: OperationOptions | undefined): string;
  execute(statement: Statement<unknown>, options: OperationOptions | undefined): QueryResult | Promise<QueryResult>;
  batches(statement: Statement<unknown>, options: StreamOptions | undefined): AsyncIterable<QueryResult>;
}

// A symbol property is copied when the operations are spread into a service.
const executorKey = Symbol("executor");

/** Returns the executor of a database or handle. For internal use in this module. Throws E_DATABASE_HANDLE_ENDED. */
export function executorOf(operations: DatabaseOperations): Executor {
  const { [executorKey]: executor } = operations as { readonly [executorKey]?: Executor };
  if (executor === undefined) throw errors.E_DATABASE_HANDLE_ENDED();
  return executor;
}

/** Returns the SQL of a statement on one line, for errors. For internal use in modules of the database. */
export const statementText = (
  operations: DatabaseOperations,
  statement: Statement<unknown>,
  options?: OperationOptions,
): string => executorOf(operations).textOf(statement, options);

/** Creates the operations of an executor. */
export function makeOperations(executor: Executor): DatabaseOperations {
  const run = <T>(
    statement: Statement<unknown>,
    options: OperationOptions | undefined,
    read: (result: QueryResult) => T,
  ): Promise<T> => {
    try {
      const result = executor.execute(statement, options);
      // Embedded databases answer synchronously: only the caller's promise is created.
      return result instanceof Promise ? withCaller(result.then(read)) : Promise.resolve(read(result));
    } catch (error) {
      return withCaller(Promise.reject(statementError(statement, error)));
    }
  };
  const operations: DatabaseOperations & { readonly [executorKey]: Executor } = {
    [executorKey]: executor,
    find: (statement, options) =>
      run(statement, options, (result) => {
        if (result.rows.length === 0) throw errors.E_DATABASE_NO_ROW(executor.textOf(statement, options));
        return readRow(statement, result);
      }),
    findOpt: (statement, options) =>
      run(statement, options, (result) => (result.rows.length === 0 ? undefined : readRow(statement, result))),
    exec: (statement, options) => run(statement, options, ({ affectedRows }) => affectedRows),
    collect: (statement, options) =>
      run(statement, options, ({ columns, rows }) => (rows.length === 0 ? [] : rows.map(statement.reader(columns)))),
    async *stream(statement, options) {
      try {
        for await (const { columns, rows } of executor.batches(statement, options)) {
          const read = statement.reader(columns);
          for (const row of rows) yield read(row);
        }
      } catch (error) {
        throw statementError(statement, error);
      }
    },
  };
  return operations;
}

/** Returns the error of a value that is no statement, such as a string, otherwise the error itself. */
function statementError(statement: unknown, error: unknown): unknown {
  if (typeof (statement as Partial<Statement<unknown>> | null | undefined)?.compile === "function") return error;
  return errors.E_SQL_STATEMENT(typeof statement === "string" ? "a string" : `a value of type ${typeof statement}`);
}

function readRow<T>(statement: Statement<T>, { columns, rows }: QueryResult): T {
  if (rows.length > 1) throw errors.E_DATABASE_TOO_MANY_ROWS(rows.length);
  return statement.reader(columns)(rows[0] as readonly unknown[]);
}
