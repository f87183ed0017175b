import { settlesWithin, Time } from "../../time/index.ts";
import type { Connection, ConnectionUse } from "../contract.ts";
import { errors } from "../errors.ts";
import { startDeadlineTimer } from "./deadline.ts";

/** Options of `ConnectionPool.acquire`. */
export interface AcquireOptions {
  /** Maximum time to wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
  /** True if the operation set the timeout, which decides on the error. Default false: it is the pool's default. */
  readonly isOperationTimeout?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Later use of the connection. Default `exclusive`. */
  readonly use?: ConnectionUse;
}

/** Options of a `ConnectionPool`. */
export interface ConnectionPoolOptions {
  /** Maximum number of connections. */
  readonly size: number;
  /** Maximum number of callers that wait for a connection. */
  readonly maxWaiting: number;
  readonly open: () => Promise<Connection>;
  /** Called when a caller has waited too long for a connection. */
  readonly onTimeout: () => void;
}

/** Usage of the exclusive connections of a pool. */
export interface PoolStats {
  /** Maximum number of connections. */
  readonly size: number;
  /** Number of connections in use. */
  readonly used: number;
  /** Number of open connections that are free. */
  readonly idle: number;
  /** Number of callers that wait for a connection. */
  readonly waiting: number;
}

interface PendingAcquire {
  /** Time at which the wait ends, on the clock of `Time.monotonic`. */
  deadlineMs: number;
  readonly options: AcquireOptions;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Pool of connections that serve one caller at a time, in the order of arrival. Connections are opened on demand.
 *
 * State that changes with each use is kept in arrays: V8 keeps the old hash tables of a mutated Set reachable until the
 * next full garbage collection.
 */
export class ConnectionPool {
  readonly size: number;
  readonly #options: ConnectionPoolOptions;
  /** All open connections, including those in use. */
  readonly #connections = new Set<Connection>();
  /** Free connections. Single reads take the first, others the last: a connection seldom changes its use. */
  readonly #idle: Connection[] = [];
  readonly #pending: PendingAcquire[] = [];
  #timer: { deadlineMs: number; readonly cancel: () => void } | undefined;
  #openingCount = 0;
  #isClosed = false;
  #onDrained: (() => void) | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.size = options.size;
    this.#options = options;
  }

  /** Current usage of the pool. */
  get stats(): PoolStats {
    return { size: this.size, used: this.#usedCount, idle: this.#idle.length, waiting: this.#pending.length };
  }

  /** True if an open connection is idle. */
  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  /** True if a connection is idle or may be opened. */
  get hasCapacity(): boolean {
    return !this.#isClosed && (this.#idle.length > 0 || this.#connections.size + this.#openingCount < this.size);
  }

  /** True once the pool is being closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if callers wait for a connection. */
  get hasWaiting(): boolean {
    return this.#pending.length > 0;
  }

  get #usedCount(): number {
    return this.#connections.size - this.#idle.length;
  }

  /**
   * Acquires a connection; synchronously if one is idle.
   *
   * @throws E_DATABASE_POOL_TIMEOUT, E_DATABASE_POOL_FULL, E_DATABASE_TIMEOUT, the signal's reason, or the error of
   * opening a connection.
   */
  acquire(options: AcquireOptions): Connection | Promise<Connection> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw errors.E_DATABASE_CONNECTION_LOST();
    const { use = "exclusive" } = options;
    while (this.#idle.length > 0) {
      const connection = (use === "pipelined reads" ? this.#idle.shift() : this.#idle.pop()) as Connection;
      if (connection.state !== "closed") {
        connection.setUse(use);
        return connection;
      }
      this.#connections.delete(connection);
    }
    // Callers for whom a connection is being opened do not wait for others.
    const waitingCount = this.#pending.length - this.#openingCount;
    const { maxWaiting } = this.#options;
    if (!this.hasCapacity && waitingCount >= maxWaiting) throw errors.E_DATABASE_POOL_FULL(maxWaiting, this.size);
    const acquired = this.#enqueue(options);
    this.#openForPending();
    return acquired;
  }

  /** Opens another connection in the background, if the pool may have more and none is being opened. */
  openIdle(): void {
    if (this.#isClosed || this.#openingCount > 0 || this.#connections.size >= this.size) return;
    this.#openingCount += 1;
    void this.#openConnection();
  }

  /** Returns a connection to the pool. Rolls back an open transaction, or closes the connection if that fails. */
  release(connection: Connection, use: ConnectionUse = "exclusive"): void | Promise<void> {
    if (connection.state === "transaction") return this.#rollBackAndRelease(connection);
    if (connection.state === "closed" || this.#isClosed) {
      this.#connections.delete(connection);
      void connection.close();
    } else this.#assign(connection, use);
    if (this.#isClosed && this.#usedCount === 0) this.#onDrained?.();
    this.#openForPending();
  }

  /** Rejects all waiting callers, and closes the idle connections. */
  rejectWaiting(error: Error): void {
    for (const connection of this.#idle.splice(0)) {
      this.#connections.delete(connection);
      void connection.close();
    }
    for (const pending of this.#pending.slice()) pending.reject(error);
  }

  /** Refuses new callers, waits at most `timeoutMs` until all connections are released, and closes them. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    for (const pending of this.#pending.slice()) pending.reject(errors.E_DATABASE_CONNECTION_LOST());
    if (this.#usedCount > 0) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#onDrained = () => resolve(undefined);
      await settlesWithin(promise, timeoutMs);
    }
    this.#idle.length = 0;
    for (const connection of this.#connections) await connection.close();
  }

  async #rollBackAndRelease(connection: Connection): Promise<void> {
    try {
      await connection.rollback();
    } catch {
      await connection.close();
    }
    if (connection.state === "transaction") await connection.close();
    await this.release(connection);
  }

  /** Gives a free connection to the first pending caller, or adds it to the idle ones after the use `formerUse`. */
  #assign(connection: Connection, formerUse: ConnectionUse): void {
    const pending = this.#pending[0];
    if (pending !== undefined) {
      connection.setUse(pending.options.use ?? "exclusive");
      pending.resolve(connection);
    } else if (formerUse === "pipelined reads") this.#idle.unshift(connection);
    else this.#idle.push(connection);
  }

  #enqueue(options: AcquireOptions): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const dequeueAnd =
      <T>(complete: (value: T) => void) =>
      (value: T): void => {
        this.#dequeue(pending);
        options.signal?.removeEventListener("abort", onAbort);
        complete(value);
      };
    const pending: PendingAcquire = {
      deadlineMs: Time.monotonic() + options.timeoutMs,
      options,
      resolve: dequeueAnd(resolve),
      reject: dequeueAnd(reject),
    };
    const onAbort = (): void => pending.reject(options.signal?.reason);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    this.#pending.push(pending);
    if (this.#timer === undefined || pending.deadlineMs < this.#timer.deadlineMs) this.#setTimer(pending.deadlineMs);
    return promise;
  }

  #dequeue(pending: PendingAcquire): void {
    const index = this.#pending.indexOf(pending);
    if (index === 0) this.#pending.shift();
    else if (index !== -1) this.#pending.splice(index, 1);
    if (this.#pending.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Sets the one timer of all pending callers. A timer per caller would cost as much as the statement itself. */
  #setTimer(deadlineMs: number): void {
    this.#timer?.cancel();
    const onStandstill = (uncountedMs: number): void => {
      timer.deadlineMs += uncountedMs;
      for (const pending of this.#pending) pending.deadlineMs += uncountedMs;
    };
    const onExpired = (): void => this.#rejectExpired();
    const cancel = startDeadlineTimer(deadlineMs - Time.monotonic(), onExpired, { onStandstill });
    const timer = { deadlineMs, cancel };
    this.#timer = timer;
  }

  #rejectExpired(): void {
    this.#timer = undefined;
    const nowMs = Time.monotonic();
    const expired = this.#pending.filter(({ deadlineMs }) => deadlineMs <= nowMs);
    if (expired.length > 0) this.#options.onTimeout();
    for (const pending of expired) pending.reject(this.#timeoutError(pending.options));
    if (this.#pending.length > 0) this.#setTimer(Math.min(...this.#pending.map(({ deadlineMs }) => deadlineMs)));
  }

  #timeoutError({ timeoutMs, isOperationTimeout }: AcquireOptions): Error {
    return isOperationTimeout === true
      ? errors.E_DATABASE_TIMEOUT(timeoutMs)
      : errors.E_DATABASE_POOL_TIMEOUT(timeoutMs, this.size);
  }

  #openForPending(): void {
    while (this.#openingCount < this.#pending.length && this.#connections.size + this.#openingCount < this.size) {
      this.#openingCount += 1;
      void this.#openConnection();
    }
  }

  async #openConnection(): Promise<void> {
    try {
      const connection = await this.#options.open();
      this.#openingCount -= 1;
      if (this.#isClosed) await connection.close();
      else {
        this.#connections.add(connection);
        this.#assign(connection, "exclusive");
      }
    } catch (error) {
      this.#openingCount -= 1;
      this.#pending[0]?.reject(error);
      this.#openForPending();
    }
  }
}
