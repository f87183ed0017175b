import { Time } from "../time/index.ts";
import type { Connection } from "./contract.ts";
import { errors } from "./errors.ts";

/** How long a lane's user waits. */
export interface Wait {
  /** In milliseconds. */
  readonly timeout: number;
  /** Whether the time-out is the operation's own, not that of the pool. */
  readonly isOwn: boolean;
  readonly signal: AbortSignal | undefined;
}

interface Waiter {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections that are lent to one user at a time, first come, first served. Opened when they are needed. */
export class Lane {
  readonly size: number;
  readonly #open: () => Promise<Connection>;
  readonly #idle: Connection[] = [];
  readonly #lent = new Set<Connection>();
  readonly #waiting = new Set<Waiter>();
  #opening = 0;
  #isClosed = false;
  #emptied: (() => void) | undefined;

  constructor(size: number, open: () => Promise<Connection>) {
    this.size = size;
    this.#open = open;
  }

  /** How many connections there may be, how many are lent and free, and how many users wait. */
  get counts(): { readonly size: number; readonly lent: number; readonly idle: number; readonly waiting: number } {
    return { size: this.size, lent: this.#lent.size, idle: this.#idle.length, waiting: this.#waiting.size };
  }

  /** Whether a connection is free, or may be opened. */
  get canLend(): boolean {
    return !this.#isClosed && (this.#idle.length > 0 || this.#lent.size + this.#opening < this.size);
  }

  /**
   * Lends a connection: at once when one is free.
   *
   * @throws E_DATABASE_POOL_TIMEOUT, the reason of the signal, or why no connection could be opened.
   */
  acquire(wait: Wait): Connection | Promise<Connection> {
    wait.signal?.throwIfAborted();
    if (this.#isClosed) throw errors.E_DATABASE_CONNECTION_LOST();
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.state !== "closed") {
        this.#lent.add(connection);
        return connection;
      }
    }
    const waiting = this.#wait(wait);
    this.#openForWaiting();
    return waiting;
  }

  /** Takes a connection back. One that was left inside a transaction is rolled back, or else closed. */
  release(connection: Connection): void | Promise<void> {
    if (connection.state === "transaction") return this.#clean(connection);
    this.#lent.delete(connection);
    if (connection.state === "closed" || this.#isClosed) void connection.close();
    else this.#give(connection);
    if (this.#isClosed && this.#lent.size === 0) this.#emptied?.();
    this.#openForWaiting();
  }

  /** Lends no more, waits until all are back, but at most so many milliseconds, and closes all. */
  async close(timeout: number): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiting) waiter.reject(errors.E_DATABASE_CONNECTION_LOST());
    this.#waiting.clear();
    if (this.#lent.size > 0) {
      await new Promise<void>((resolve) => {
        const cancel = Time.after(timeout, resolve);
        this.#emptied = () => {
          cancel();
          resolve();
        };
      });
    }
    for (const connection of [...this.#idle.splice(0), ...this.#lent]) await connection.close();
  }

  async #clean(connection: Connection): Promise<void> {
    try {
      await connection.rollback();
    } catch {
      await connection.close();
    }
    if (connection.state === "transaction") await connection.close();
    await this.release(connection);
  }

  #give(connection: Connection): void {
    const [waiter] = this.#waiting;
    if (waiter === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#waiting.delete(waiter);
    this.#lent.add(connection);
    waiter.resolve(connection);
  }

  #wait(wait: Wait): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(waiter);
        cancel();
        wait.signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => waiter.reject(wait.signal?.reason);
      const waiter: Waiter = {
        resolve: (connection) => {
          end();
          resolve(connection);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const cancel = Time.after(wait.timeout, () => waiter.reject(this.#timeout(wait)));
      wait.signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #timeout({ timeout, isOwn }: Wait): Error {
    return isOwn ? errors.E_DATABASE_TIMEOUT(timeout) : errors.E_DATABASE_POOL_TIMEOUT(timeout, this.size);
  }

  #openForWaiting(): void {
    while (this.#opening < this.#waiting.size && this.#idle.length + this.#lent.size + this.#opening < this.size) {
      this.#opening += 1;
      void this.#openOne();
    }
  }

  async #openOne(): Promise<void> {
    try {
      const connection = await this.#open();
      this.#opening -= 1;
      if (this.#isClosed) await connection.close();
      else this.#give(connection);
    } catch (error) {
      this.#opening -= 1;
      const [waiter] = this.#waiting;
      waiter?.reject(error);
      this.#openForWaiting();
    }
  }
}
