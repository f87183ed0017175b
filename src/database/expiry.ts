import { Log } from "../log/index.ts";
import { type PeriodicTask, startPeriodicTask, Time, TimeInternals } from "../time/index.ts";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";
import type { OperationOptions } from "./operations.ts";
import * as Row from "./row/row.ts";
import { sql } from "./statement/sql.ts";
import type { SqlPart, Statement } from "./statement/statement.ts";

/** Rows of `table` whose `column` is at or before `until`. */
export interface ExpiredRows {
  readonly table: string;
  /** Column with the time of expiry. An index should begin with the columns of `where`, followed by this column. */
  readonly column: string;
  readonly until: Date;
  /** Further condition on the rows. Default: none. */
  readonly where?: SqlPart;
}

const batchSize = 1000;
const maxDeadlockRetries = 10;

const batchRow = Row.record({ count: Row.int, last: Row.nullable(Row.timestamp) });
const nothing = sql``;

/**
 * Deletes expired rows in batches of 1,000 and returns their number. Each batch covers a range of the index, from the
 * oldest row on: locks are short, no statement runs into its timeout, and deleted index entries are not scanned again. A
 * batch that ends in a deadlock is repeated.
 *
 * MariaDB locks the index entry after the range as well, which may belong to a row that does not expire: a queue skips it
 * while it is locked. A limit ends the scan before that entry.
 */
export async function deleteExpired(
  database: Pick<Database, "find" | "exec">,
  rows: ExpiredRows,
  options: OperationOptions = {},
): Promise<number> {
  const table = sql.identifier(rows.table, [rows.table]);
  const column = sql.identifier(rows.column, [rows.column]);
  const { until, where = sql`1 = 1` } = rows;
  let deletedCount = 0;
  let after = new Date(0);
  for (;;) {
    const inRange = (end: Date): Statement<unknown> => sql`(${where}) and ${column} > ${after} and ${column} <= ${end}`;
    const { count, last } = await database.find(
      sql.row(batchRow)`select count(*) as count, max(expires_at) as last from (
        select ${column} as expires_at from ${table} where ${inRange(until)} order by ${column} limit ${batchSize}
      ) as batch`,
      options,
    );
    if (last === null) return deletedCount;
    const isLastBatch = count < batchSize;
    const mariadb = isLastBatch ? sql`order by ${column} limit ${count}` : nothing;
    const deletion = sql`delete from ${table} where ${inRange(last)}
      ${sql.dialect({ mariadb, postgresql: nothing, sqlite: nothing })}`;
    deletedCount += await database.exec(deletion, { ...options, maxRetries: maxDeadlockRetries });
    if (isLastBatch) return deletedCount;
    after = last;
  }
}

/** Rows that are kept for a time. */
interface KeptRows {
  readonly table: string;
  /** Column with the time from which `keepMs` counts. */
  readonly column: string;
  readonly keepMs: number;
}

// Databases cannot represent dates much further away.
const maxKeepMs = Time.days(36_525);
const log = Log.source("limmat.database");

/**
 * Returns the function that begins the hourly deletion of rows older than `keepMs`, and returns the function that ends it.
 *
 * @throws E_DATABASE_KEEP unless `keepMs` is above 0 and at most a hundred years
 */
export function keepRows(
  database: Pick<Database, "find" | "exec" | "registerExpiry">,
  { keepMs, ...rows }: KeptRows,
): () => () => Promise<void> {
  if (!(keepMs > 0 && keepMs <= maxKeepMs)) throw errors.E_DATABASE_KEEP(rows.table, keepMs, maxKeepMs);
  return () =>
    database.registerExpiry({
      intervalMs: Time.hours(1),
      run: (options) => deleteExpired(database, { ...rows, until: new Date(Time.now().getTime() - keepMs) }, options),
      onError: (error) => log.warning(`Old rows of ${rows.table} could not be deleted`, { error }),
    });
}

const roundIntervalMs = Time.minutes(5);
const maxRunMs = Time.minutes(1);

interface RegisteredTask {
  readonly task: PeriodicTask;
  readonly stopping: AbortController;
  /** Number of rounds until the next run. */
  roundsLeft: number;
  running: Promise<void> | undefined;
}

/** Timer of a database service that runs the registered deletions of expired rows, one after the other. */
export class ExpiryTimer {
  readonly #registeredTasks = new Set<RegisteredTask>();
  #stopTimer: (() => Promise<void>) | undefined;

  /** Registers a task. The returned function unregisters it, cancels a run in progress, and waits for its end. */
  register(task: PeriodicTask): () => Promise<void> {
    const registered: RegisteredTask = { task, stopping: new AbortController(), roundsLeft: 1, running: undefined };
    this.#registeredTasks.add(registered);
    if (task.runsAtOnce === true) void this.#run(registered);
    this.#stopTimer ??= startPeriodicTask({
      intervalMs: roundIntervalMs,
      run: () => this.#runRound(),
      // `#run` reports the errors of each task.
      onError: () => {},
    });
    return () => this.#unregister(registered);
  }

  /** Runs all tasks now. All run even if some fail; throws an `AggregateError` of the failures. */
  async runAll(options: OperationOptions): Promise<void> {
    const failures: unknown[] = [];
    for (const { task } of this.#registeredTasks) {
      try {
        await task.run(options);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "Some expired rows could not be deleted");
  }

  /** Unregisters all tasks. */
  async stop(): Promise<void> {
    await Promise.all([...this.#registeredTasks].map((registered) => this.#unregister(registered)));
  }

  async #unregister(registered: RegisteredTask): Promise<void> {
    this.#registeredTasks.delete(registered);
    registered.stopping.abort();
    await registered.running;
    if (this.#registeredTasks.size > 0) return;
    const stopTimer = this.#stopTimer;
    this.#stopTimer = undefined;
    await stopTimer?.();
  }

  async #runRound(): Promise<void> {
    for (const registered of this.#registeredTasks) {
      registered.roundsLeft -= 1;
      if (registered.roundsLeft <= 0 && !registered.stopping.signal.aborted) await this.#run(registered);
    }
  }

  /** Runs a task for at most a minute. What remains is deleted in later rounds. Never rejects. */
  #run(registered: RegisteredTask): Promise<void> {
    const { task, stopping } = registered;
    registered.roundsLeft = Math.ceil(task.intervalMs / roundIntervalMs);
    const timeout = new AbortController();
    const abort = (): void => timeout.abort(errors.E_DATABASE_TIMEOUT(maxRunMs));
    const cancelTimeout = TimeInternals.after(maxRunMs, abort, { keepAlive: false });
    const run = async (): Promise<void> => {
      try {
        await task.run({ signal: AbortSignal.any([stopping.signal, timeout.signal]) });
      } catch (error) {
        if (!stopping.signal.aborted) task.onError(error);
      } finally {
        cancelTimeout();
      }
    };
    return (registered.running = run());
  }
}
