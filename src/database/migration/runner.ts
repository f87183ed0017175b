import { Configuration } from "../../config/index.ts";
import type { ContextOptions } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Database } from "../database.ts";
import { connectionOf, type Handle } from "../handle.ts";
import { applyStep, dialectOf, invalidIndexText, withStepError } from "./apply.ts";
import type { BatchProgress } from "./batch-definition.ts";
import { findInvalidIndexes } from "./concurrent-index.ts";
import { assertEnvironment, claimEnvironment } from "./environment.ts";
import { errors } from "./errors.ts";
import { parseStatements } from "./lint/sql-tokens.ts";
import { type LockOptions, withMigrationLock } from "./lock.ts";
import * as State from "./state.ts";
import { numberSteps, stepLabel, type StepStatus, stepStatuses } from "./status.ts";
import { type Migration, scriptOf, stepKey } from "./step.ts";

/** Callbacks for the progress of a run. */
export interface MigrationProgress {
  /** Called before a step. */
  readonly onStepStart?: (step: string) => void;
  /** Called after a step, with its duration in milliseconds. */
  readonly onStepEnd?: (step: string, durationMs: number) => void;
  /** Called after each batch of a data step. */
  readonly onProgress?: (step: string, progress: BatchProgress) => void;
  /** Called for a remark on a step, such as an invalid index that was built again. */
  readonly onNote?: (note: string) => void;
}

/** Options of a run of steps. The context selects the pool. Inside a transaction, the steps are part of it. */
export interface MigrationRunOptions extends MigrationProgress, LockOptions {
  /** Stops the run with E_MIGRATION_STOPPED before its next step or batch. */
  readonly signal?: AbortSignal;
}

/** Returns the status of each step. */
export function migrationStatus(
  database: Database,
  migrations: readonly Migration[],
  { ctx = [] }: ContextOptions = {},
): Promise<readonly StepStatus[]> {
  return database.query(
    async (handle) => {
      const rows = await State.readAppliedSteps(handle);
      const isStarted = rows.some(({ applied_at }) => applied_at === null);
      const progress = isStarted ? await State.readProgress(handle) : new Map();
      return stepStatuses(migrations, rows, dialectOf(handle), progress);
    },
    { ctx },
  );
}

/**
 * Verifies that the database belongs to the environment of this process, unless it is not marked yet.
 *
 * @throws E_DATABASE_ENVIRONMENT
 */
export function checkEnvironment(database: Database, { ctx = [] }: ContextOptions = {}): Promise<void> {
  return database.query(
    async (handle) => {
      if ((await State.findEnvironment(handle)) !== undefined) await assertEnvironment(handle);
    },
    { ctx },
  );
}

/** Returns the environment that the database is marked with, or `undefined` if it is not marked. */
export function findEnvironment(database: Database): Promise<string | undefined> {
  return database.query((handle) => State.findEnvironment(handle));
}

/** Marks the database with the environment of this process. */
export function setEnvironment(database: Database): Promise<void> {
  return withMigrationLock(database, {}, (handle) => State.replaceEnvironment(handle, Configuration.environment()));
}

/**
 * Runs all pending steps in order and returns their labels. Each step runs in its own transaction if the database
 * supports transactional DDL.
 *
 * @throws E_MIGRATION_EMPTY, E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED, E_DATABASE_ENVIRONMENT
 */
export function migrateUp(
  database: Database,
  migrations: readonly Migration[],
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  return withMigrationLock(database, options, (handle) => migrateWithLock(handle, migrations, options));
}

/** Runs all pending steps on a connection that holds the migration lock. */
export async function migrateWithLock(
  handle: Handle,
  migrations: readonly Migration[],
  options: MigrationRunOptions,
): Promise<readonly string[]> {
  await claimEnvironment(handle);
  const steps = numberSteps(migrations);
  const progress = await State.readProgress(handle);
  for (const row of await State.readAppliedSteps(handle)) {
    // A step in batches goes on; one that this application does not define is of another version.
    const { batches, canResume = false } = progress.get(stepKey(row)) ?? {};
    if (row.applied_at === null && batches === undefined && !canResume) throw await halfDoneError(handle, row);
  }
  const appliedLabels: string[] = [];
  for (const numbered of steps) {
    const { namespace, number, step } = numbered;
    const label = stepLabel({ namespace, number, name: step.name });
    const row = await State.findAppliedStep(handle, namespace, number);
    if (row !== undefined && row.applied_at !== null) continue;
    // An empty list for all databases is a generated step without SQL. A step may be empty for a single database.
    if (Array.isArray(step.up) && step.up.length === 0) throw errors.E_MIGRATION_EMPTY(label);
    if (options.signal?.aborted === true) throw errors.E_MIGRATION_STOPPED(label);
    options.onStepStart?.(label);
    const startedMs = Time.monotonic();
    if (!(await applyStep(handle, numbered, options))) continue;
    options.onStepEnd?.(label, Time.monotonic() - startedMs);
    appliedLabels.push(label);
  }
  return appliedLabels;
}

/** Returns E_MIGRATION_HALF_DONE with the interrupted statement and the invalid indexes of the database. */
async function halfDoneError(handle: Handle, row: State.AppliedStep): Promise<Error> {
  const { completed } = await State.findStatementState(handle, row);
  const invalid = await findInvalidIndexes(handle);
  const details = [
    ...(completed === 0 ? [] : [`Statement ${completed + 1} was interrupted; those before it are complete.`]),
    ...(invalid.length === 0 ? [] : [invalidIndexText(invalid)]),
    ...(dialectOf(handle).name === "sqlite" ? ["Another process may be running it right now."] : []),
  ];
  return errors.E_MIGRATION_HALF_DONE(stepLabel(row), details.join(" "));
}

/**
 * Reverts the last applied steps in reverse order and returns their labels.
 *
 * @throws E_MIGRATION_NO_DOWN before any step is reverted, if one of them has no `down` or is not defined; the errors of `migrateUp`.
 */
export function migrateDown(
  database: Database,
  migrations: readonly Migration[],
  count: number,
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  return withMigrationLock(database, options, async (handle) => {
    await claimEnvironment(handle);
    const steps = new Map(numberSteps(migrations).map(({ step, ...id }, index) => [stepKey(id), { step, index }]));
    const indexOf = (row: State.AppliedStep): number => steps.get(stepKey(row))?.index ?? -1;
    // Several steps can start within the same millisecond.
    const rows = (await State.readAppliedSteps(handle)).toSorted(
      (left, right) => left.started_at.getTime() - right.started_at.getTime() || indexOf(left) - indexOf(right),
    );
    const lastRows = rows.slice(-count).toReversed();
    const reversions = lastRows.map((row) => {
      const { step } = steps.get(stepKey(row)) ?? {};
      if (step?.down === undefined) throw errors.E_MIGRATION_NO_DOWN(stepLabel(row), step !== undefined);
      const script = scriptOf(step.down, dialectOf(handle));
      return { row, script, isTransactional: step.isTransactional };
    });
    for (const { row, script, isTransactional } of reversions) {
      options.onStepStart?.(stepLabel(row));
      const startedMs = Time.monotonic();
      await withStepError(handle, stepLabel(row), () => revertStep(handle, row, script, isTransactional));
      options.onStepEnd?.(stepLabel(row), Time.monotonic() - startedMs);
    }
    return lastRows.map(stepLabel);
  });
}

/** Reverts one step. The SQL of a step outside a transaction runs statement by statement. */
async function revertStep(
  handle: Handle,
  row: State.AppliedStep,
  script: string,
  isTransactional: boolean,
): Promise<void> {
  if (!isTransactional) {
    const { connection } = connectionOf(handle);
    for (const { text } of parseStatements(script, dialectOf(handle).name)) await connection.script(text);
    return State.deleteAppliedStep(handle, row);
  }
  return handle.transaction(async (inner) => {
    if (script !== "") await connectionOf(inner).connection.script(script);
    await State.deleteAppliedStep(inner, row);
  });
}

/** Decision on a half-done step: it is complete, goes on with the interrupted statement, or runs again from its start. */
export type Resolution = "applied" | "resume" | "retry";

/**
 * Resolves a half-done step.
 *
 * @throws E_MIGRATION_NOT_HALF_DONE
 */
export function resolveStep(
  database: Database,
  namespace: string,
  number: number,
  resolution: Resolution,
): Promise<void> {
  return withMigrationLock(database, {}, async (handle) => {
    const row = await State.findAppliedStep(handle, namespace, number);
    if (row === undefined || row.applied_at !== null) {
      throw errors.E_MIGRATION_NOT_HALF_DONE(stepLabel({ namespace, number, name: row?.name ?? "?" }));
    }
    if (resolution === "retry") await State.deleteAppliedStep(handle, row);
    else if (resolution === "applied")
      await State.markStepApplied(handle, { ...row, applied_at: Time.now(), duration_ms: 0 });
    else
      await State.updateStatementState(handle, row, {
        ...(await State.findStatementState(handle, row)),
        canResume: true,
      });
  });
}
