import type { AsyncLocalStorage } from "node:async_hooks";
import { isError } from "../core/index.ts";
import { Time, TimeInternals } from "../time/index.ts";
import type { Connection, QueryResult } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Handle, type HandleConnection, isFailedResult, type TransactionCallback } from "./handle.ts";
import {
  type Executor,
  makeOperations,
  type OperationOptions,
  type StreamOptions,
  type TransactionOptions,
} from "./operations.ts";
import type { DatabasePool } from "./pool/database-pool.ts";
import { withOperationDeadline, withRemainingTimeout } from "./pool/deadline.ts";
import { captureCallSite, onOneLine } from "./query-log.ts";
import type { Statement } from "./statement/statement.ts";

// On at least one of the databases, these errors abort the whole transaction, at any depth of savepoints.
const fatalErrors = ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION", "E_DATABASE_CONNECTION_LOST"];

// Time that a rollback may take before the connection is closed, which rolls back as well.
const rollbackTimeoutMs = 5000;

const defaultBatchSize = 500;

// A savepoint has a name that no other one has in this process, so that no statement can meet the savepoint of another scope.
let savepointCount = 0;

/**
 * Use of one connection by `query`, by a transaction or by a savepoint: the state of a `Handle`.
 *
 * Scopes on a connection form a stack. The innermost one owns the connection: statements and scopes of the others wait for
 * its end, in the order in which they were called. A scope is
 *
 * - `open` while its callback runs: it accepts statements and scopes;
 * - `finishing` once the callback has returned: it accepts no more, and waits for those that it has accepted;
 * - `ended` afterwards, and as soon as it will be rolled back (its callback has failed, its time has passed, its signal is
 *   aborted, a scope around it has ended): nothing that waits is sent any more, and the scopes inside have ended too.
 *
 * Its last step on the connection (commit, rollback) waits until the scopes inside have taken theirs, the statements were
 * answered, and the streams are closed. So nothing of a scope reaches the connection after it, or inside another scope.
 */
export class TransactionScope implements Executor, HandleConnection {
  readonly pool: DatabasePool;
  readonly handle: Handle;
  readonly #connection: Connection;
  readonly #currentScope: AsyncLocalStorage<TransactionScope | undefined>;
  readonly #parent: TransactionScope | undefined;
  /** Name of the savepoint, if this scope is one. */
  readonly #savepoint: string | undefined;
  /** Statements without an answer. */
  readonly #statements = new Set<Promise<unknown>>();
  /** Statements and scopes that wait for the end of `#child`. */
  #waiting: Set<Promise<unknown>> | undefined;
  #streams: Set<AsyncIterator<QueryResult>> | undefined;
  /** Callbacks that were registered in this scope, or in a committed scope inside it. */
  readonly afterCommitCallbacks: (() => unknown)[] = [];
  /** Scope inside, from its begin to its end. */
  #child: { readonly scope: TransactionScope; readonly ended: Promise<void> } | undefined;
  #state: "open" | "finishing" | "ended" = "open";
  #failure: unknown;
  /** Ends the wait for the callback. */
  #interrupt: ((reason: unknown) => void) | undefined;

  constructor(
    pool: DatabasePool,
    connection: Connection,
    currentScope: AsyncLocalStorage<TransactionScope | undefined>,
    parent?: TransactionScope,
  ) {
    this.pool = pool;
    this.#connection = connection;
    this.#currentScope = currentScope;
    this.#parent = parent;
    this.#savepoint = parent?.isTransaction === true ? `limmat_${++savepointCount}` : undefined;
    this.handle = {
      ...makeOperations(this),
      transaction: (callback, options) => this.transaction(callback, options ?? {}),
    };
  }

  /** True if this scope is a transaction or a savepoint. */
  get isTransaction(): boolean {
    return this.#parent !== undefined;
  }

  /** Driver connection of an open scope. Throws E_DATABASE_HANDLE_ENDED. */
  get connection(): Connection {
    this.#assertOpen();
    return this.#connection;
  }

  textOf(statement: Statement<unknown>): string {
    return onOneLine(statement.compile(this.pool.driver.dialect)[0].text);
  }

  execute(statement: Statement<unknown>, options: OperationOptions | undefined): QueryResult | Promise<QueryResult> {
    const scope = this.#innermost();
    if (scope.#state !== "open") throw errors.E_DATABASE_HANDLE_ENDED(this.textOf(statement));
    if (scope.#child === undefined) return scope.#send(statement, options);
    return scope.#enqueue(options ?? {}, (remaining) => scope.#send(statement, options && remaining));
  }

  async *batches(statement: Statement<unknown>, options: StreamOptions | undefined): AsyncGenerator<QueryResult> {
    const scope = this.#innermost();
    scope.#assertOpen();
    while (scope.#child !== undefined) await scope.#child.ended;
    scope.#assertUsable();
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    captureCallSite(prepared);
    const { batchSize = defaultBatchSize, signal } = options ?? {};
    const stream = this.#connection.stream(prepared, values, batchSize)[Symbol.asyncIterator]();
    const streams = (scope.#streams ??= new Set());
    streams.add(stream);
    try {
      for (;;) {
        scope.#assertUsable();
        signal?.throwIfAborted();
        const { done, value } = await scope.#track(stream.next());
        if (done === true) return;
        yield value;
      }
    } catch (cause) {
      const error = cause === signal?.reason ? cause : this.pool.toDatabaseError(cause, prepared.text);
      if (cause !== signal?.reason) scope.#markFailed(error);
      throw error;
    } finally {
      if (streams.delete(stream)) await stream.return?.();
    }
  }

  /** Runs a callback with this scope as the one that operations join, then ends the scope. */
  async run<T>(callback: TransactionCallback<T>, options: OperationOptions): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#interrupt = reject;
    this.#runCallback(callback).then(resolve, reject);
    try {
      return await withOperationDeadline(promise, options, () => this.#abandon());
    } finally {
      await this.#end();
    }
  }

  /** Runs a callback in a transaction or savepoint on this connection. Concurrent ones run one after the other. */
  async transaction<T>(callback: TransactionCallback<T>, options: TransactionOptions): Promise<T> {
    const scope = this.#innermost();
    scope.#assertOpen();
    options.signal?.throwIfAborted();
    if (scope.#child === undefined) return scope.#runChild(callback, options);
    return scope.#enqueue(options, (remaining) => scope.#runChild(callback, remaining));
  }

  /** Runs a callback as a part of this scope. If its time ends, a transaction fails: a part cannot be undone alone. */
  async query<T>(callback: TransactionCallback<T>, options: OperationOptions): Promise<T> {
    const result = (async () => callback(this.handle))();
    return withOperationDeadline(result, options, () => this.#markEnded(options));
  }

  /**
   * Registers a callback for the commit of the outermost transaction. A rollback of any scope around discards it.
   *
   * @throws E_DATABASE_HANDLE_ENDED, E_DATABASE_TRANSACTION_ABORTED
   */
  afterCommit(callback: () => unknown): void {
    this.#assertUsable();
    this.afterCommitCallbacks.push(callback);
  }

  #send(statement: Statement<unknown>, options: OperationOptions | undefined): QueryResult | Promise<QueryResult> {
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    this.#assertUsable();
    options?.signal?.throwIfAborted();
    let result: QueryResult | Promise<QueryResult>;
    try {
      result = this.pool.run(this.#connection, { prepared, values, callSite: captureCallSite(prepared) });
    } catch (error) {
      this.#markFailed(error);
      throw error;
    }
    if (!(result instanceof Promise)) return result;
    const tracked = this.#track(result);
    if (options === undefined) return tracked;
    return withOperationDeadline(tracked, options, () => {
      this.#markEnded(options);
      this.pool.cancel(this.#connection, tracked);
    });
  }

  /** Runs an operation, with the rest of its time, once no scope inside this one runs. */
  #enqueue<T, O extends OperationOptions>(options: O, run: (remaining: O) => T | Promise<T>): Promise<T> {
    const startedMs = Time.monotonic();
    const waiting = (async () => {
      while (this.#child !== undefined) {
        await withOperationDeadline(this.#child.ended, withRemainingTimeout(options, startedMs), () => {});
      }
      return run(withRemainingTimeout(options, startedMs));
    })();
    const allWaiting = (this.#waiting ??= new Set());
    const remove = (): void => void allWaiting.delete(waiting);
    allWaiting.add(waiting);
    waiting.then(remove, remove);
    return waiting;
  }

  /** Runs a scope inside this one. Called while there is none. */
  async #runChild<T>(callback: TransactionCallback<T>, options: TransactionOptions): Promise<T> {
    this.#assertUsable();
    options.signal?.throwIfAborted();
    const { promise: ended, resolve } = Promise.withResolvers<undefined>();
    const scope = new TransactionScope(this.pool, this.#connection, this.#currentScope, this);
    this.#child = { scope, ended };
    try {
      if (this.#statements.size > 0) {
        await Promise.allSettled(this.#statements);
        this.#assertUsable();
      }
      // On PostgreSQL the stream has a transaction of its own, whose end would end this one too.
      if (!this.isTransaction && (this.#streams?.size ?? 0) > 0) throw errors.E_DATABASE_STREAM_OPEN();
      return await scope.#runTransaction(callback, options);
    } finally {
      this.#child = undefined;
      resolve(undefined);
    }
  }

  async #runCallback<T>(callback: TransactionCallback<T>): Promise<T> {
    this.#assertUsable();
    const value = await this.#currentScope.run(this, async () => callback(this.handle));
    if (this.#state === "ended" || isFailedResult(value)) return value;
    this.#state = "finishing";
    if (this.#isBusy) await this.#drain();
    return value;
  }

  /** True while something of this scope, or of those inside, uses the connection or waits for it. */
  get #isBusy(): boolean {
    return this.#child !== undefined || this.#statements.size > 0 || (this.#waiting?.size ?? 0) > 0;
  }

  async #drain(): Promise<void> {
    while (this.#isBusy) {
      await Promise.allSettled([...this.#statements, ...(this.#waiting ?? []), this.#child?.ended]);
    }
  }

  /** Refuses all further operations of this scope and of those inside. */
  #refuse(): void {
    this.#state = "ended";
    const child = this.#child?.scope;
    if (child === undefined) return;
    child.#refuse();
    child.#interrupt?.(errors.E_DATABASE_HANDLE_ENDED());
  }

  /** Ends this scope and those inside, before its callback has settled. */
  #abandon(): void {
    this.#refuse();
    const statements = this.#unanswered;
    if (statements.length > 0) this.pool.cancel(this.#connection, Promise.allSettled(statements));
  }

  async #end(): Promise<void> {
    this.#refuse();
    if (this.#isBusy) await this.#drain();
    for (const stream of this.#streams ?? []) {
      this.#streams?.delete(stream);
      await stream.return?.().catch((error: unknown) => this.#markFailed(error));
    }
  }

  /** Statements of this scope and of those inside that the connection has not answered. */
  get #unanswered(): readonly Promise<unknown>[] {
    const child = this.#child?.scope;
    return child === undefined ? [...this.#statements] : [...this.#statements, ...child.#unanswered];
  }

  async #runTransaction<T>(callback: TransactionCallback<T>, options: TransactionOptions): Promise<T> {
    this.#assertUsable();
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
      await this.#rollback();
      throw error;
    }
  }

  async #begin({ isolation, readOnly = false }: TransactionOptions): Promise<void> {
    if (this.#savepoint === undefined) await this.#connection.begin({ isolation, readOnly });
    else await this.#connection.script(`savepoint ${this.#savepoint}`);
  }

  async #commit(): Promise<void> {
    if (this.#parent !== undefined && this.#parent.#state === "ended") throw errors.E_DATABASE_HANDLE_ENDED();
    if (this.#savepoint === undefined) await this.#commitTransaction();
    else {
      const release = `release savepoint ${this.#savepoint}`;
      await this.#translateErrors(() => this.#connection.script(release), "release savepoint");
    }
    this.#parent?.afterCommitCallbacks.push(...this.afterCommitCallbacks);
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
      if (this.#savepoint === undefined) await connection.rollback();
      else {
        // `rollback to` keeps the savepoint.
        await connection.script(`rollback to savepoint ${this.#savepoint}`);
        await connection.script(`release savepoint ${this.#savepoint}`);
      }
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

  /** Returns the innermost open scope around the caller, if it is inside this one, otherwise this scope. Operations run in it. */
  #innermost(): TransactionScope {
    if (this.#child === undefined) return this;
    let innermost: TransactionScope | undefined;
    for (let scope = this.#currentScope.getStore(); scope !== undefined; scope = scope.#parent) {
      if (scope === this) return innermost ?? this;
      if (scope.#state === "open") innermost ??= scope;
    }
    return this;
  }

  #assertOpen(): void {
    if (this.#state !== "open") throw errors.E_DATABASE_HANDLE_ENDED();
  }

  #assertUsable(): void {
    if (this.#state === "ended") throw errors.E_DATABASE_HANDLE_ENDED();
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

  /** Marks a transaction as failed, because an operation in it was aborted or exceeded its time. */
  #markEnded({ signal, timeoutMs = 0 }: OperationOptions): void {
    this.#markFailed(signal?.aborted === true ? signal.reason : errors.E_DATABASE_TIMEOUT(timeoutMs));
  }

  /** Counts a promise as a statement without an answer until it settles. */
  #track<T>(result: Promise<T>): Promise<T> {
    this.#statements.add(result);
    return result.then(
      (resolved) => {
        this.#statements.delete(result);
        return resolved;
      },
      (error: unknown) => {
        this.#statements.delete(result);
        this.#markFailed(error);
        throw error;
      },
    );
  }
}
