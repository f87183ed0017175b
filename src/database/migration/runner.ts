import { Time } from "../../time/index.ts";
import type { Database } from "../database.ts";
import { connectionOf, type Handle } from "../handle.ts";
import { errors } from "./errors.ts";
import * as State from "./state.ts";
import { stateTableName } from "./settings.ts";
import { type NumberedStep, numberSteps, stepLabel, type StepStatus, stepStatuses } from "./status.ts";
import { checksum, type Migration, scriptOf, statementsOf } from "./step.ts";

/** Callbacks for the progress of a run. */
export interface MigrationProgress {
  /** Called before a step. */
  readonly onStepStart?: (step: string) => void;
  /** Called after a step, with its duration in milliseconds. */
  readonly onStepEnd?: (step: string, durationMs: number) => void;
}

/** Options of a run of steps. */
export interface MigrationRunOptions extends MigrationProgress {
  /** Maximum time to wait for another process that migrates, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
}

const lockRetryMs = 100;

/** Returns the status of each step. */
export function migrationStatus(database: Database, migrations: readonly Migration[]): Promise<readonly StepStatus[]> {
  return database.query(async (handle) =>
    stepStatuses(migrations, await State.readAppliedSteps(handle), database.dialect()),
  );
}

/**
 * Runs all pending steps in order and returns their labels. Each step runs in its own transaction if the database
 * supports transactional DDL.
 *
 * @throws E_MIGRATION_EMPTY, E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED
 */
export function migrateUp(
  database: Database,
  migrations: readonly Migration[],
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  return withMigrationLock(database, options, async (handle) => {
    const halfDone = (await State.readAppliedSteps(handle)).find(({ applied_at }) => applied_at === null);
    if (halfDone !== undefined) throw errors.E_MIGRATION_HALF_DONE(stepLabel(halfDone));
    const appliedLabels: string[] = [];
    for (const numbered of numberSteps(migrations)) {
      const { namespace, number, step } = numbered;
      const label = stepLabel({ namespace, number, name: step.name });
      if ((await State.findAppliedStep(handle, namespace, number)) !== undefined) continue;
      // An empty list for all databases is a generated step without SQL. A step may be empty for a single database.
      if (Array.isArray(step.up) && step.up.length === 0) throw errors.E_MIGRATION_EMPTY(label);
      options.onStepStart?.(label);
      const startedMs = Time.monotonic();
      if (!(await applyStep(handle, numbered, label))) continue;
      options.onStepEnd?.(label, Time.monotonic() - startedMs);
      appliedLabels.push(label);
    }
    return appliedLabels;
  });
}

/**
 * Reverts the last applied steps in reverse order and returns their labels.
 *
 * @throws E_MIGRATION_NO_DOWN before any step is reverted, if one of them has no `down`; the errors of `migrateUp`.
 */
export function migrateDown(
  database: Database,
  migrations: readonly Migration[],
  count: number,
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  return withMigrationLock(database, options, async (handle) => {
    const steps = numberSteps(migrations);
    const lastRows = (await State.readAppliedSteps(handle)).slice(-count).toReversed();
    const reversions = lastRows.map((row) => {
      const numbered = steps.find(({ namespace, number }) => namespace === row.namespace && number === row.number);
      if (numbered?.step.down === undefined) throw errors.E_MIGRATION_NO_DOWN(stepLabel(row));
      return { row, script: scriptOf(numbered.step.down, database.dialect()) };
    });
    for (const { row, script } of reversions) {
      options.onStepStart?.(stepLabel(row));
      const startedMs = Time.monotonic();
      await withStepError(stepLabel(row), () =>
        handle.transaction(async (inner) => {
          await connectionOf(inner).connection.script(script);
          await State.deleteAppliedStep(inner, row);
        }),
      );
      options.onStepEnd?.(stepLabel(row), Time.monotonic() - startedMs);
    }
    return lastRows.map(stepLabel);
  });
}

/**
 * Resolves a half-done step: marks it as applied, or deletes its row so that it runs again.
 *
 * @throws E_MIGRATION_NOT_HALF_DONE
 */
export function resolveStep(database: Database, namespace: string, number: number, isApplied: boolean): Promise<void> {
  return withMigrationLock(database, {}, async (handle) => {
    const row = await State.findAppliedStep(handle, namespace, number);
    if (row === undefined || row.applied_at !== null) {
      throw errors.E_MIGRATION_NOT_HALF_DONE(stepLabel({ namespace, number, name: row?.name ?? "?" }));
    }
    if (isApplied) await State.markStepApplied(handle, { ...row, applied_at: Time.now(), duration_ms: 0 });
    else await State.deleteAppliedStep(handle, row);
  });
}

/** Applies a step. Returns false if another process has applied it in the meantime. */
async function applyStep(handle: Handle, { namespace, number, step }: NumberedStep, label: string): Promise<boolean> {
  const { dialect } = connectionOf(handle).pool.driver;
  const startedMs = Time.monotonic();
  const startedRow = {
    namespace,
    number,
    name: step.name,
    checksum: checksum(step.up, dialect),
    started_at: Time.now(),
    applied_at: null,
    duration_ms: null,
  };
  const appliedRow = (): State.AppliedStep => ({
    ...startedRow,
    applied_at: Time.now(),
    duration_ms: Math.round(Time.monotonic() - startedMs),
  });
  const script = scriptOf(step.up, dialect);
  return withStepError(label, async () => {
    if (dialect.hasTransactionalDdl) {
      return handle.transaction(async (inner) => {
        // On SQLite the transaction is the lock: another process may have applied the step before it began.
        if ((await State.findAppliedStep(inner, namespace, number)) !== undefined) return false;
        await connectionOf(inner).connection.script(script);
        await State.insertAppliedStep(inner, appliedRow());
        return true;
      });
    }
    await State.insertAppliedStep(handle, startedRow);
    try {
      await connectionOf(handle).connection.script(script);
    } catch (error) {
      // A refused step of a single statement has changed nothing, so that it can simply run again.
      const [statement, ...others] = statementsOf(step.up, dialect);
      const isSingle = others.length === 0 && !/;\s*\S/.test(statement ?? "");
      if (isSingle && connectionOf(handle).connection.state !== "closed") {
        await State.deleteAppliedStep(handle, startedRow);
      }
      throw error;
    }
    await State.markStepApplied(handle, appliedRow());
    return true;
  });
}

async function withStepError<T>(label: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw errors.E_MIGRATION_FAILED(label, cause).causedBy(cause);
  }
}

/** Runs a callback on one connection while it holds the migration lock, so that no other process migrates. */
function withMigrationLock<T>(
  database: Database,
  options: MigrationRunOptions,
  callback: (handle: Handle) => Promise<T>,
): Promise<T> {
  const { lockTimeoutMs = 60_000 } = options;
  return database.query(async (handle) => {
    const { connection } = connectionOf(handle);
    const lockName = `limmat ${stateTableName()}`;
    const deadlineMs = Time.monotonic() + lockTimeoutMs;
    while (!(await withTypedErrors(handle, () => connection.lock(lockName)))) {
      if (Time.monotonic() > deadlineMs) throw errors.E_MIGRATION_LOCKED(lockTimeoutMs);
      await Time.sleep(lockRetryMs);
    }
    try {
      await withTypedErrors(handle, () => State.createStateTable(handle));
      return await callback(handle);
    } finally {
      if (connection.state !== "closed") await withTypedErrors(handle, () => connection.unlock(lockName));
    }
  });
}

/** Translates errors of direct calls to the driver's connection. */
async function withTypedErrors<T>(handle: Handle, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw connectionOf(handle).pool.toDatabaseError(cause, "the lock and the state table of migrations");
  }
}
