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
  /** When it has waited long enough, by `Time.monotonic`. */
  readonly until: number;
  readonly wait: Wait;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Connections that are lent to one user at a time, first come, first served. Opened when they are needed.
 *
 * What changes with each use is kept in arrays: a set that is added to and deleted from again and again leaves a chain of
 * old tables behind, which the garbage collector takes for alive until it looks at everything.
 */
export class Lane {
  readonly size: number;
  readonly #open: () => Promise<Connection>;
  /** All that are open, lent ones too. */
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiter[] = [];
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #opening = 0;
  #isClosed = false;
  #emptied: (() => void) | undefined;

  constructor(size: number, open: () => Promise<Connection>) {
    this.size = size;
    this.#open = open;
  }

  /** How many connections there may be, how many are lent and free, and how many users wait. */
  get counts(): { readonly size: number; readonly lent: number; readonly idle: number; readonly waiting: number } {
    return { size: this.size, lent: this.#lent, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** Whether a connection is free, or may be opened. */
  get canLend(): boolean {
    return !this.#isClosed && (this.#idle.length > 0 || this.#all.size + this.#opening < this.size);
  }

  get #lent(): number {
    return this.#all.size - this.#idle.length;
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
      if (connection.state !== "closed") return connection;
      this.#all.delete(connection);
    }
    const waiting = this.#wait(wait);
    this.#openForWaiting();
    return waiting;
  }

  /** Takes a connection back. One that was left inside a transaction is rolled back, or else closed. */
  release(connection: Connection): void | Promise<void> {
    if (connection.state === "transaction") return this.#clean(connection);
    if (connection.state === "closed" || this.#isClosed) {
      this.#all.delete(connection);
      void connection.close();
    } else this.#give(connection);
    if (this.#isClosed && this.#lent === 0) this.#emptied?.();
    this.#openForWaiting();
  }

  /** Lends no more, waits until all are back, but at most so many milliseconds, and closes all. */
  async close(timeout: number): Promise<void> {
    this.#isClosed = true;
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      waiter.reject(errors.E_DATABASE_CONNECTION_LOST());
    }
    if (this.#lent > 0) {
      await new Promise<void>((resolve) => {
        const cancel = Time.after(timeout, resolve);
        this.#emptied = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#idle.length = 0;
    for (const connection of this.#all) await connection.close();
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
    const waiter = this.#waiting[0];
    if (waiter === undefined) this.#idle.push(connection);
    else waiter.resolve(connection);
  }

  #wait(wait: Wait): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#forget(waiter);
        wait.signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => waiter.reject(wait.signal?.reason);
      const waiter: Waiter = {
        until: Time.monotonic() + wait.timeout,
        wait,
        resolve: (connection) => {
          end();
          resolve(connection);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      wait.signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiter);
      if (this.#alarm === undefined || waiter.until < this.#alarm.at) this.#setAlarm(waiter.until);
    });
  }

  #forget(waiter: Waiter): void {
    const at = this.#waiting.indexOf(waiter);
    if (at === 0) this.#waiting.shift();
    else if (at !== -1) this.#waiting.splice(at, 1);
    if (this.#waiting.length > 0) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  /** One timer for all who wait: one for each would cost as much as what they wait for. */
  #setAlarm(at: number): void {
    this.#alarm?.cancel();
    this.#alarm = { at, cancel: Time.after(at - Time.monotonic(), () => this.#refuseLate()) };
  }

  #refuseLate(): void {
    this.#alarm = undefined;
    const now = Time.monotonic();
    for (const waiter of this.#waiting.filter(({ until }) => until <= now)) waiter.reject(this.#timeout(waiter.wait));
    if (this.#waiting.length > 0) this.#setAlarm(Math.min(...this.#waiting.map(({ until }) => until)));
  }

  #timeout({ timeout, isOwn }: Wait): Error {
    return isOwn ? errors.E_DATABASE_TIMEOUT(timeout) : errors.E_DATABASE_POOL_TIMEOUT(timeout, this.size);
  }

  #openForWaiting(): void {
    while (this.#opening < this.#waiting.length && this.#all.size + this.#opening < this.size) {
      this.#opening += 1;
      void this.#openOne();
    }
  }

  async #openOne(): Promise<void> {
    try {
      const connection = await this.#open();
      this.#opening -= 1;
      if (this.#isClosed) await connection.close();
      else {
        this.#all.add(connection);
        this.#give(connection);
      }
    } catch (error) {
      this.#opening -= 1;
      this.#waiting[0]?.reject(error);
      this.#openForWaiting();
    }
  }
}
