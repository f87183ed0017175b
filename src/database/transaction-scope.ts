import type { AsyncLocalStorage } from "node:async_hooks";
import { isError } from "../core/index.ts";
import { TimeInternals } from "../time/index.ts";
import type { Connection, QueryResult } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Handle, setConnection, type TransactionCallback } from "./handle.ts";
import { type Executor, makeOperations } from "./operations.ts";
import type { OperationOptions, StreamOptions, TransactionOptions } from "./options.ts";
import type { DatabasePool } from "./pool/database-pool.ts";
import { withOperationDeadline } from "./pool/deadline.ts";
import { captureCallSite } from "./query-log.ts";
import type { Statement } from "./statement/statement.ts";

type ScopeLevel = "connection" | "transaction" | "savepoint";

// On at least one of the databases, these errors abort the whole transaction, at any depth of savepoints.
const fatalErrors = ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION", "E_DATABASE_CONNECTION_LOST"];

// Time that a rollback may take before the connection is closed, which rolls back as well.
const rollbackTimeoutMs = 5000;

const defaultBatchSize = 500;

/** Use of one connection by `query`, by a transaction or by a savepoint: the state of a `Handle`. */
export class TransactionScope implements Executor {
  readonly pool: DatabasePool;
  readonly handle: Handle;
  readonly #connection: Connection;
  readonly #currentScope: AsyncLocalStorage<TransactionScope | undefined>;
  readonly #level: ScopeLevel;
  readonly #parent: TransactionScope | undefined;
  readonly #depth: number;
  readonly #pendingStatements = new Set<Promise<unknown>>();
  readonly #afterCommitCallbacks: (() => unknown)[] = [];
  #child: { readonly scope: TransactionScope; readonly ended: Promise<void> } | undefined;
  #isEnded = false;
  #failure: unknown;

  constructor(
    pool: DatabasePool,
    connection: Connection,
    currentScope: AsyncLocalStorage<TransactionScope | undefined>,
    level: ScopeLevel,
    parent?: TransactionScope,
  ) {
    this.pool = pool;
    this.#connection = connection;
    this.#currentScope = currentScope;
    this.#level = level;
    this.#parent = parent;
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
    this.handle = {
      ...makeOperations(this),
      transaction: (callback, options) => this.transaction(callback, options ?? {}),
    };
    setConnection(this.handle, { connection, pool });
  }

  /** True if this scope is a transaction or a savepoint. */
  get isTransaction(): boolean {
    return this.#level !== "connection";
  }

  execute(statement: Statement<unknown>, options: OperationOptions | undefined): QueryResult | Promise<QueryResult> {
    const scope = this.#innermost();
    const childEnded = scope.#child?.ended;
    if (childEnded !== undefined) return childEnded.then(() => scope.execute(statement, options));
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    scope.#assertUsable();
    options?.signal?.throwIfAborted();
    try {
      const result = this.pool.run(this.#connection, { prepared, values, callSite: captureCallSite(prepared) });
      return result instanceof Promise ? scope.#track(result, options) : result;
    } catch (error) {
      scope.#markFailed(error);
      throw error;
    }
  }

  async *batches(statement: Statement<unknown>, options: StreamOptions | undefined): AsyncGenerator<QueryResult> {
    const scope = this.#innermost();
    while (scope.#child !== undefined) await scope.#child.ended;
    scope.#assertUsable();
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    captureCallSite(prepared);
    try {
      for await (const result of this.#connection.stream(prepared, values, options?.batchSize ?? defaultBatchSize)) {
        scope.#assertUsable();
        options?.signal?.throwIfAborted();
        yield result;
      }
    } catch (cause) {
      const error = this.pool.toDatabaseError(cause, prepared.text);
      if (cause !== options?.signal?.reason) scope.#markFailed(error);
      throw cause === options?.signal?.reason ? cause : error;
    }
  }

  /** Runs a callback with this scope as the one that operations join, then ends the scope. */
  async run<T>(callback: TransactionCallback<T>, options: OperationOptions): Promise<T> {
    try {
      const pending = this.#currentScope.run(this, async () => callback(this.handle));
      return await withOperationDeadline(pending, options, () => this.#cancel(pending));
    } finally {
      await Promise.allSettled(this.#pendingStatements);
      this.#isEnded = true;
    }
  }

  /** Runs a callback in a transaction or savepoint on this connection. Concurrent ones run one after the other. */
  async transaction<T>(callback: TransactionCallback<T>, options: TransactionOptions): Promise<T> {
    const scope = this.#innermost();
    while (scope.#child !== undefined) await scope.#child.ended;
    scope.#assertUsable();
    options.signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const level = scope.isTransaction ? "savepoint" : "transaction";
    const child = new TransactionScope(this.pool, this.#connection, this.#currentScope, level, scope);
    scope.#child = { scope: child, ended: promise };
    try {
      if (scope.#pendingStatements.size > 0) await Promise.allSettled(scope.#pendingStatements);
      return await child.#runTransaction(callback, options);
    } finally {
      scope.#child = undefined;
      resolve(undefined);
    }
  }

  /** Callbacks that were registered in this scope, or in a committed scope inside it. */
  get afterCommitCallbacks(): readonly (() => unknown)[] {
    return this.#afterCommitCallbacks;
  }

  /** Registers a callback for the commit of the outermost transaction. A rollback of any scope around discards it. */
  afterCommit(callback: () => unknown): void {
    this.#assertUsable();
    this.#afterCommitCallbacks.push(callback);
  }

  async #runTransaction<T>(callback: TransactionCallback<T>, options: TransactionOptions): Promise<T> {
    await this.#translateErrors(() => this.#begin(options), "begin");
    try {
      const value = await this.run(callback, options);
      if (isFailedResult(value)) {
        await this.#rollback();
        return value;
      }
      this.#assertNotFailed();
      await this.#commit();
      return value;
    } catch (error) {
      this.#isEnded = true;
      await this.#rollback();
      throw error;
    }
  }

  async #begin({ isolation, readOnly = false }: TransactionOptions): Promise<void> {
    if (this.#level === "savepoint") await this.#connection.script(`savepoint ${this.#savepointName}`);
    else await this.#connection.begin({ isolation, readOnly });
  }

  async #commit(): Promise<void> {
    if (this.#level === "savepoint") {
      const release = `release savepoint ${this.#savepointName}`;
      await this.#translateErrors(() => this.#connection.script(release), "release savepoint");
    } else await this.#commitTransaction();
    if (this.#parent !== undefined) this.#parent.#afterCommitCallbacks.push(...this.#afterCommitCallbacks);
  }

  async #commitTransaction(): Promise<void> {
    try {
      await this.#connection.commit();
    } catch (cause) {
      const error = this.pool.toDatabaseError(cause, "commit");
      throw isError(error, "E_DATABASE_CONNECTION_LOST") ? errors.E_DATABASE_COMMIT_UNKNOWN().causedBy(cause) : error;
    }
  }

  /** Rolls back. Never throws: if the rollback fails, the connection is closed, which rolls back as well. */
  async #rollback(): Promise<void> {
    const connection = this.#connection;
    if (connection.state !== "transaction") return;
    const cancelTimer = TimeInternals.after(rollbackTimeoutMs, () => void connection.close());
    try {
      if (this.#level === "savepoint") {
        // `rollback to` keeps the savepoint; the next one of the same name would be stacked on top of it.
        await connection.script(`rollback to savepoint ${this.#savepointName}`);
        await connection.script(`release savepoint ${this.#savepointName}`);
      } else await connection.rollback();
    } catch {
      await connection.close();
    } finally {
      cancelTimer();
    }
  }

  async #translateErrors(step: () => void | Promise<void>, text: string): Promise<void> {
    try {
      await step();
    } catch (cause) {
      const error = this.pool.toDatabaseError(cause, text);
      if (this.#parent !== undefined) this.#parent.#markFailed(error);
      throw error;
    }
  }

  get #savepointName(): string {
    return `limmat_${this.#depth}`;
  }

  /** Returns the current scope if it is nested in this one, otherwise this scope. Operations run in the result. */
  #innermost(): TransactionScope {
    if (this.#child === undefined) return this;
    const current = this.#currentScope.getStore();
    for (let scope = current; scope !== undefined; scope = scope.#parent) {
      if (scope === this) return current as TransactionScope;
    }
    return this;
  }

  #assertUsable(): void {
    if (this.#isEnded) throw errors.E_DATABASE_HANDLE_ENDED();
    this.#assertNotFailed();
  }

  #assertNotFailed(): void {
    if (this.#failure !== undefined) throw errors.E_DATABASE_TRANSACTION_ABORTED(this.#failure).causedBy(this.#failure);
  }

  /** Marks a transaction as failed. PostgreSQL refuses further statements then; this makes all databases alike. */
  #markFailed(error: unknown): void {
    if (!this.isTransaction) return;
    this.#failure ??= error;
    if (this.#parent !== undefined && fatalErrors.some((code) => isError(error, code))) this.#parent.#markFailed(error);
  }

  #track(result: Promise<QueryResult>, options: OperationOptions | undefined): Promise<QueryResult> {
    this.#pendingStatements.add(result);
    const tracked = result.then(
      (resolved) => {
        this.#pendingStatements.delete(result);
        return resolved;
      },
      (error: unknown) => {
        this.#pendingStatements.delete(result);
        this.#markFailed(error);
        throw error;
      },
    );
    if (options === undefined) return tracked;
    return withOperationDeadline(tracked, options, () => {
      this.#markFailed(errors.E_DATABASE_TIMEOUT(options.timeoutMs ?? 0));
      this.pool.cancel(this.#connection, tracked);
    });
  }

  #cancel(pending: Promise<unknown>): void {
    this.#isEnded = true;
    pending.catch(() => {});
    const statements = Promise.allSettled(this.#pendingStatements);
    if (this.#pendingStatements.size > 0) this.pool.cancel(this.#connection, statements);
  }
}

/** Returns true if a value is a `Result` that contains an error. */
function isFailedResult(value: unknown): value is { readonly ok: false; readonly error: unknown } {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false && "error" in value;
}
