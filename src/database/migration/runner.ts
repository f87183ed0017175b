import { Time } from "../../time/index.ts";
import type { Database } from "../database.ts";
import { connectionOf, type Handle } from "../handle.ts";
import { errors } from "./errors.ts";
import { stateTable } from "./settings.ts";
import * as State from "./state.ts";
import { label, type Placed, placed, statusOf, type StepStatus } from "./status.ts";
import { checksum, type Migration, scriptOf, statementsOf } from "./step.ts";

/** What a run tells while it goes on. */
export interface Progress {
  /** A step begins. */
  readonly begin?: (step: string) => void;
  /** A step is complete, after so many milliseconds. */
  readonly end?: (step: string, duration: number) => void;
}

/** How a run is done. */
export interface RunOptions extends Progress {
  /** How long to wait for another process that migrates, in milliseconds. Default 60,000. */
  readonly lockTimeout?: number;
}

/** Where each step stands. */
export function status(database: Database, migrations: readonly Migration[]): Promise<readonly StepStatus[]> {
  return database.query(async (handle) => statusOf(migrations, await State.readApplied(handle), database.dialect()));
}

/**
 * Runs all pending steps, in order, each in a transaction of its own where the database can, and gives them.
 *
 * @throws E_MIGRATION_EMPTY, E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED
 */
export function up(
  database: Database,
  migrations: readonly Migration[],
  options: RunOptions = {},
): Promise<readonly string[]> {
  return locked(database, options, async (handle) => {
    const stuck = (await State.readApplied(handle)).find(({ applied_at }) => applied_at === null);
    if (stuck !== undefined) throw errors.E_MIGRATION_HALF_DONE(label(stuck));
    const done: string[] = [];
    for (const step of placed(migrations)) {
      const name = label({ ...step, name: step.step.name });
      if ((await State.find(handle, step.namespace, step.number)) !== undefined) continue;
      // A step may be empty on one database, but not on all: it is one that was begun to be written.
      if (Array.isArray(step.step.up) && step.step.up.length === 0) throw errors.E_MIGRATION_EMPTY(name);
      options.begin?.(name);
      const started = Time.monotonic();
      if (!(await apply(handle, step, name))) continue;
      options.end?.(name, Time.monotonic() - started);
      done.push(name);
    }
    return done;
  });
}

/**
 * Takes back the steps that were applied last, in reverse order, and gives them.
 *
 * @throws E_MIGRATION_NO_DOWN before anything is done, when one of them does not say how; what `up` throws.
 */
export function down(
  database: Database,
  migrations: readonly Migration[],
  count: number,
  options: RunOptions = {},
): Promise<readonly string[]> {
  return locked(database, options, async (handle) => {
    const steps = placed(migrations);
    const last = (await State.readApplied(handle)).slice(-count).toReversed();
    const undone = last.map((row) => {
      const known = steps.find(({ namespace, number }) => namespace === row.namespace && number === row.number);
      if (known?.step.down === undefined) throw errors.E_MIGRATION_NO_DOWN(label(row));
      return { row, script: scriptOf(known.step.down, database.dialect()) };
    });
    for (const { row, script } of undone) {
      options.begin?.(label(row));
      const started = Time.monotonic();
      await guarded(label(row), () =>
        handle.transaction(async (inner) => {
          await connectionOf(inner).connection.script(script);
          await State.remove(inner, row);
        }),
      );
      options.end?.(label(row), Time.monotonic() - started);
    }
    return last.map(label);
  });
}

/**
 * Settles a half-done step: as complete, or as never begun.
 *
 * @throws E_MIGRATION_NOT_HALF_DONE
 */
export function resolve(database: Database, namespace: string, number: number, isApplied: boolean): Promise<void> {
  return locked(database, {}, async (handle) => {
    const row = await State.find(handle, namespace, number);
    if (row === undefined || row.applied_at !== null) {
      throw errors.E_MIGRATION_NOT_HALF_DONE(label({ namespace, number, name: row?.name ?? "?" }));
    }
    if (isApplied) await State.complete(handle, { ...row, applied_at: Time.now(), duration_ms: 0 });
    else await State.remove(handle, row);
  });
}

/** Applies a step; false when another process has done it in the meantime. */
async function apply(handle: Handle, place: Placed, name: string): Promise<boolean> {
  const { dialect } = connectionOf(handle).pool.driver;
  const started = Time.monotonic();
  const { namespace, number, step } = place;
  const begun = {
    namespace,
    number,
    name: step.name,
    checksum: checksum(step.up, dialect),
    started_at: Time.now(),
    applied_at: null,
    duration_ms: null,
  };
  const complete = (): State.Applied => ({
    ...begun,
    applied_at: Time.now(),
    duration_ms: Math.round(Time.monotonic() - started),
  });
  const script = scriptOf(step.up, dialect);
  return guarded(name, async () => {
    if (dialect.hasTransactionalDdl) {
      return handle.transaction(async (inner) => {
        // On SQLite the transaction is the lock: another process may have been faster.
        if ((await State.find(inner, namespace, number)) !== undefined) return false;
        await connectionOf(inner).connection.script(script);
        await State.insert(inner, complete());
        return true;
      });
    }
    await State.insert(handle, begun);
    try {
      await connectionOf(handle).connection.script(script);
    } catch (error) {
      // A single statement that was refused has changed nothing.
      const [only, ...others] = statementsOf(step.up, dialect);
      const isSingle = others.length === 0 && !/;\s*\S/.test(only ?? "");
      if (isSingle && connectionOf(handle).connection.state !== "closed") await State.remove(handle, begun);
      throw error;
    }
    await State.complete(handle, complete());
    return true;
  });
}

async function guarded<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw errors.E_MIGRATION_FAILED(step, cause).causedBy(cause);
  }
}

/** Runs work on one connection while no other process migrates. */
function locked<T>(database: Database, options: RunOptions, work: (handle: Handle) => Promise<T>): Promise<T> {
  const { lockTimeout = 60_000 } = options;
  return database.query(async (handle) => {
    const { connection } = connectionOf(handle);
    const name = `limmat ${stateTable()}`;
    const end = Time.monotonic() + lockTimeout;
    while (!(await onConnection(handle, () => connection.lock(name)))) {
      if (Time.monotonic() > end) throw errors.E_MIGRATION_LOCKED(lockTimeout);
      await Time.sleep(100);
    }
    try {
      await onConnection(handle, () => State.createTable(handle));
      return await work(handle);
    } finally {
      if (connection.state !== "closed") await onConnection(handle, () => connection.unlock(name));
    }
  });
}

/** Does something with the driver's connection itself, whose errors have no type yet. */
async function onConnection<T>(handle: Handle, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw connectionOf(handle).pool.failure(cause, "the lock and the table of migrations");
  }
}
