import { Time } from "../../time/index.ts";
import type { Connection } from "../contract.ts";
import { errors } from "../errors.ts";

/** Options of `ConnectionPool.acquire`. */
export interface AcquireOptions {
  /** Maximum time to wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
  /** True if the operation set the timeout, false if it is the pool's default. Decides which error is thrown. */
  readonly isOperationTimeout: boolean;
  readonly signal: AbortSignal | undefined;
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
  readonly deadlineMs: number;
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
  readonly #open: () => Promise<Connection>;
  /** All open connections, including those in use. */
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #pending: PendingAcquire[] = [];
  #timer: { readonly deadlineMs: number; readonly cancel: () => void } | undefined;
  #openingCount = 0;
  #isClosed = false;
  #onDrained: (() => void) | undefined;

  constructor(size: number, open: () => Promise<Connection>) {
    this.size = size;
    this.#open = open;
  }

  /** Current usage of the pool. */
  get stats(): PoolStats {
    return { size: this.size, used: this.#usedCount, idle: this.#idle.length, waiting: this.#pending.length };
  }

  /** True if a connection is idle or may be opened. */
  get hasCapacity(): boolean {
    return !this.#isClosed && (this.#idle.length > 0 || this.#connections.size + this.#openingCount < this.size);
  }

  get #usedCount(): number {
    return this.#connections.size - this.#idle.length;
  }

  /**
   * Acquires a connection; synchronously if one is idle.
   *
   * @throws E_DATABASE_POOL_TIMEOUT, E_DATABASE_TIMEOUT, the signal's reason, or the error of opening a connection.
   */
  acquire(options: AcquireOptions): Connection | Promise<Connection> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw errors.E_DATABASE_CONNECTION_LOST();
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.state !== "closed") return connection;
      this.#connections.delete(connection);
    }
    const acquired = this.#enqueue(options);
    this.#openForPending();
    return acquired;
  }

  /** Returns a connection to the pool. Rolls back an open transaction, or closes the connection if that fails. */
  release(connection: Connection): void | Promise<void> {
    if (connection.state === "transaction") return this.#rollBackAndRelease(connection);
    if (connection.state === "closed" || this.#isClosed) {
      this.#connections.delete(connection);
      void connection.close();
    } else this.#assign(connection);
    if (this.#isClosed && this.#usedCount === 0) this.#onDrained?.();
    this.#openForPending();
  }

  /** Refuses new callers, waits at most `timeoutMs` until all connections are released, and closes them. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    for (let pending = this.#pending[0]; pending !== undefined; pending = this.#pending[0]) {
      pending.reject(errors.E_DATABASE_CONNECTION_LOST());
    }
    if (this.#usedCount > 0) {
      await new Promise<void>((resolve) => {
        const cancelTimer = Time.after(timeoutMs, resolve);
        this.#onDrained = () => {
          cancelTimer();
          resolve();
        };
      });
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

  /** Gives a free connection to the first pending caller, or adds it to the idle ones. */
  #assign(connection: Connection): void {
    const pending = this.#pending[0];
    if (pending === undefined) this.#idle.push(connection);
    else pending.resolve(connection);
  }

  #enqueue(options: AcquireOptions): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const dequeue = (): void => {
        this.#dequeue(pending);
        options.signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => pending.reject(options.signal?.reason);
      const pending: PendingAcquire = {
        deadlineMs: Time.monotonic() + options.timeoutMs,
        options,
        resolve: (connection) => {
          dequeue();
          resolve(connection);
        },
        reject: (error) => {
          dequeue();
          reject(error);
        },
      };
      options.signal?.addEventListener("abort", onAbort, { once: true });
      this.#pending.push(pending);
      if (this.#timer === undefined || pending.deadlineMs < this.#timer.deadlineMs) this.#setTimer(pending.deadlineMs);
    });
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
    this.#timer = { deadlineMs, cancel: Time.after(deadlineMs - Time.monotonic(), () => this.#rejectExpired()) };
  }

  #rejectExpired(): void {
    this.#timer = undefined;
    const nowMs = Time.monotonic();
    for (const pending of this.#pending.filter(({ deadlineMs }) => deadlineMs <= nowMs)) {
      pending.reject(this.#timeoutError(pending.options));
    }
    if (this.#pending.length > 0) this.#setTimer(Math.min(...this.#pending.map(({ deadlineMs }) => deadlineMs)));
  }

  #timeoutError({ timeoutMs, isOperationTimeout }: AcquireOptions): Error {
    return isOperationTimeout
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
      const connection = await this.#open();
      this.#openingCount -= 1;
      if (this.#isClosed) await connection.close();
      else {
        this.#connections.add(connection);
        this.#assign(connection);
      }
    } catch (error) {
      this.#openingCount -= 1;
      this.#pending[0]?.reject(error);
      this.#openForPending();
    }
  }
}
