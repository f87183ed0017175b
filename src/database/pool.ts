import { Time } from "../time/index.ts";
import type { Answer, Connection, Driver, Lane as LaneName, Prepared } from "./contract.ts";
import { errors } from "./errors.ts";
import { failure } from "./failure.ts";
import { guard } from "./guard.ts";
import { Lane } from "./lane.ts";
import type { Options } from "./options.ts";
import { caller, report } from "./query-log.ts";
import { SharedLane, type Slot } from "./shared-lane.ts";
import { isError } from "../core/index.ts";

/** How a pool is made. */
export interface PoolSettings {
  readonly driver: Driver;
  readonly size: number;
  /** How long an operation waits for a connection, in milliseconds. */
  readonly acquireTimeout: number;
}

// How long a statement that was given up may take to end before its connection is closed.
const giveUpTimeout = 1000;

/** A statement on its way. */
export interface Run {
  readonly prepared: Prepared;
  readonly values: readonly unknown[];
  /** The place in the application that asked, when statements are logged. */
  readonly at: string | undefined;
}

/** What is told when a statement begins to wait for its answer, and when it has it, or failed. */
interface Use {
  begin?(): void;
  end(): void;
}

/** The connections to one database. */
export class Pool {
  readonly driver: Driver;
  readonly #settings: PoolSettings;
  readonly #write: Lane;
  readonly #read: Lane;
  readonly #shared: SharedLane | undefined;

  constructor(settings: PoolSettings) {
    const { driver, size } = settings;
    const sizes = driver.lanes(size);
    this.driver = driver;
    this.#settings = settings;
    this.#write = new Lane(sizes.write, () => this.#connect("write"));
    this.#read = sizes.read === 0 ? this.#write : new Lane(sizes.read, () => this.#connect("read"));
    this.#shared = sizes.shared === 0 ? undefined : new SharedLane(sizes.shared, () => this.#connect("shared"));
  }

  /** Proves that the database can be reached. Throws E_DATABASE_CONNECT. */
  async check(): Promise<void> {
    this.giveBack(await this.lend(false, {}));
  }

  /** How the exclusive connections are used at the moment. */
  get counts(): Lane["counts"] {
    return this.#write.counts;
  }

  /** Runs a statement outside a transaction, on whatever connection is right for it. */
  execute(prepared: Prepared, values: readonly unknown[], options: Options | undefined): Answer | Promise<Answer> {
    const run: Run = { prepared, values, at: caller(prepared) };
    if (options?.signal !== undefined || options?.timeout !== undefined) return this.#executeGuarded(run, options);
    return this.#execute(run, prepared.reads);
  }

  /**
   * Runs a statement on a connection of this pool and gives its failure a type. One that waits for its answer is counted
   * on its use, and runs once more if it may. All of this is done in one step, because each would be a promise more.
   */
  run(connection: Connection, run: Run, use?: Use, mayRepeat = false): Answer | Promise<Answer> {
    const { prepared, values, at } = run;
    const started = Time.monotonic();
    try {
      const answer = connection.run(prepared, values);
      if (!(answer instanceof Promise)) {
        report(prepared, started, answer, at);
        return answer;
      }
      use?.begin?.();
      return answer.then(
        (answered) => {
          use?.end();
          report(prepared, started, answered, at);
          return answered;
        },
        (cause: unknown) => {
          use?.end();
          const error = this.failure(cause, prepared.text);
          if (mayRepeat) return this.#readAgain(error, run);
          throw error;
        },
      );
    } catch (cause) {
      throw this.failure(cause, prepared.text);
    }
  }

  failure(cause: unknown, text: string): Error {
    return failure(this.driver, cause, text);
  }

  /** Lends a connection for several statements. */
  async lend(readOnly: boolean, options: Options): Promise<Connection> {
    const { acquireTimeout } = this.#settings;
    const { timeout = Infinity, signal } = options;
    const isOwn = timeout < acquireTimeout;
    const wait = { timeout: isOwn ? timeout : acquireTimeout, isOwn, signal };
    return (readOnly ? this.#read : this.#write).acquire(wait);
  }

  /** Takes back what was lent. */
  giveBack(connection: Connection): void {
    void this.#laneOf(connection).release(connection);
  }

  /** Asks for the end of what a connection does, and ends the connection if that does not help. */
  giveUp(connection: Connection, running: Promise<unknown>): void {
    const close = (): void => void connection.close();
    const cancel = Time.after(giveUpTimeout, close);
    running.then(cancel, cancel);
    (async () => connection.cancel())().catch(close);
  }

  /** Waits until all connections are back, at most so many milliseconds, and closes them. */
  async close(timeout: number): Promise<void> {
    await this.#write.close(timeout);
    if (this.#read !== this.#write) await this.#read.close(timeout);
    await this.#shared?.close();
    await this.driver.close();
  }

  readonly #lanes = new WeakMap<Connection, Lane>();

  #laneOf(connection: Connection): Lane {
    return this.#lanes.get(connection) ?? this.#write;
  }

  async #connect(name: LaneName): Promise<Connection> {
    try {
      const connection = await this.driver.connect(name);
      if (name === "read") this.#lanes.set(connection, this.#read);
      return connection;
    } catch (cause) {
      if (isError(cause)) throw cause;
      throw errors.E_DATABASE_CONNECT(this.driver.where, cause).causedBy(cause);
    }
  }

  /** Runs a statement; one that `mayRepeat` once more when its connection is lost. */
  #execute(run: Run, mayRepeat: boolean): Answer | Promise<Answer> {
    const { reads } = run.prepared;
    const lane = reads ? this.#read : this.#write;
    const shared = reads ? this.#shared : undefined;
    if (shared !== undefined && !(shared.isStuck && lane.canLend)) return this.#executeShared(shared, run, mayRepeat);
    const connection = lane.acquire({ timeout: this.#settings.acquireTimeout, isOwn: false, signal: undefined });
    const answer =
      connection instanceof Promise ? this.#runWhenLent(connection, run) : this.#runAndRelease(connection, run);
    return mayRepeat && answer instanceof Promise ? answer.catch((error) => this.#readAgain(error, run)) : answer;
  }

  #executeShared(shared: SharedLane, run: Run, mayRepeat: boolean): Answer | Promise<Answer> {
    const slot = shared.best;
    const connection = shared.connectionOf(slot);
    if (connection instanceof Promise) return this.#runWhenOpen(connection, slot, run, mayRepeat);
    return this.run(connection, run, slot, mayRepeat);
  }

  async #runWhenOpen(opening: Promise<Connection>, slot: Slot, run: Run, mayRepeat: boolean): Promise<Answer> {
    slot.begin();
    try {
      return await this.run(await opening, run);
    } catch (error) {
      if (!mayRepeat) throw error;
      return await this.#readAgain(error, run);
    } finally {
      slot.end();
    }
  }

  async #runWhenLent(connection: Promise<Connection>, run: Run): Promise<Answer> {
    return await this.#runAndRelease(await connection, run);
  }

  #runAndRelease(connection: Connection, run: Run): Answer | Promise<Answer> {
    let answer: Answer | Promise<Answer> | undefined;
    try {
      answer = this.run(connection, run, { end: () => this.giveBack(connection) });
      return answer;
    } finally {
      if (!(answer instanceof Promise)) this.giveBack(connection);
    }
  }

  /** A read that lost its connection is run once more: it changes nothing, and the connection may just have been idle. */
  #readAgain(error: unknown, run: Run): Answer | Promise<Answer> {
    if (!isError(error, "E_DATABASE_CONNECTION_LOST")) throw error;
    return this.#execute(run, false);
  }

  async #executeGuarded(run: Run, options: Options): Promise<Answer> {
    const started = Time.monotonic();
    const connection = await this.lend(run.prepared.reads, options);
    const running = (async () => this.run(connection, run))();
    const release = (): void => this.giveBack(connection);
    running.then(release, release);
    return guard(running, remaining(options, started), () => this.giveUp(connection, running));
  }
}

/** The options with the part of the time-out that is left. */
export function remaining(options: Options, started: number): Options {
  if (options.timeout === undefined) return options;
  return { ...options, timeout: Math.max(0, options.timeout - (Time.monotonic() - started)) };
}
