import { Configuration } from "../config/index.ts";
import { type ContextOptions, isError, type Service, withDeclarations } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { Log } from "../log/index.ts";
import {
  assertEnvironment,
  type Database,
  findEnvironment,
  type Handle,
  recordMigratedRows,
} from "../database/index.ts";
import { applyStep, dialectOf, invalidIndexText, revertStep } from "./apply.ts";
import { compareSteps, type StepComparison } from "./compare.ts";
import { findInvalidIndexes } from "./concurrent-index.ts";
import { errors } from "./errors.ts";
import { type LockOptions, withMigrationLock } from "./lock.ts";
import * as State from "./state.ts";
import {
  type BatchProgress,
  checksum,
  isPending,
  type Migration,
  numberSteps,
  scriptOf,
  stepKey,
  stepLabel,
} from "./step.ts";

/** Options of a run of steps. The context selects the pool. Inside a transaction, the steps are part of it. */
export interface MigrationRunOptions extends LockOptions {
  /** Called before a step. */
  readonly onStepStart?: (step: string) => void;
  /** Called after a step, with its duration in milliseconds. */
  readonly onStepEnd?: (step: string, durationMs: number) => void;
  /** Called after each batch of a data step. */
  readonly onProgress?: (step: string, progress: BatchProgress) => void;
  /** Called for a remark on a step, such as an invalid index that was built again. */
  readonly onNote?: (note: string) => void;
  /** Stops the run with E_MIGRATION_STOPPED before its next step or batch. */
  readonly signal?: AbortSignal;
}

/** Compares the steps with those that the database records. */
export function compareWithDatabase(
  database: Database,
  migrations: readonly Migration[],
  { ctx = [] }: ContextOptions = {},
): Promise<StepComparison> {
  return database.query((handle) => compareWithRows(handle, migrations), { ctx });
}

async function compareWithRows(handle: Handle, migrations: readonly Migration[]): Promise<StepComparison> {
  const rows = await State.readAppliedSteps(handle);
  const isStarted = rows.some(({ applied_at }) => applied_at === null);
  const progress = isStarted ? await State.readProgress(handle) : undefined;
  return compareSteps(migrations, rows, dialectOf(handle), progress);
}

/** Returns the error of a database that belongs to another environment; `undefined` if it belongs to this one or to none. */
export function findRefusal(database: Database): Promise<Error | undefined> {
  return database.query(async (handle) => {
    try {
      if ((await findEnvironment(handle)) !== undefined) await assertEnvironment(handle);
      return undefined;
    } catch (error) {
      if (isError(error, "E_DATABASE_ENVIRONMENT")) return error;
      throw error;
    }
  });
}

/** Marks the database with the environment of this process. */
export function setEnvironment(database: Database): Promise<void> {
  return withMigrationLock(database, {}, (handle) => State.replaceEnvironment(handle, Configuration.environment()));
}

/**
 * Runs all pending steps in order and returns their labels. Each step runs in its own transaction if the database supports
 * transactional DDL. Throws E_MIGRATION_CHANGED before any step runs; E_MIGRATION_EMPTY, E_MIGRATION_FAILED,
 * E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED, E_DATABASE_ENVIRONMENT.
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
  await State.claimEnvironment(handle);
  const comparison = await compareWithRows(handle, migrations);
  await assertNotHalfDone(handle);
  if (comparison.differences.length > 0) throw changedError(comparison);
  reportOtherSteps(comparison, options);
  await recordSteps(handle, migrations, comparison);
  if (!comparison.statuses.some(isPending)) return [];
  const appliedLabels: string[] = [];
  await recordMigratedRows(handle, async () => {
    for (const numbered of numberSteps(migrations)) {
      const { step } = numbered;
      const label = stepLabel(numbered);
      const row = await State.findAppliedStep(handle, numbered);
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
  });
  return appliedLabels;
}

const log = Log.source("limmat.migration");

/** Reports steps that are no reason to stop, to the command or to the log. */
function reportOtherSteps(
  { edited, newer, late }: StepComparison,
  { onNote = (note) => log.warning(note) }: MigrationRunOptions,
): void {
  if (edited.length > 0) {
    onNote(`Edited before this version recorded them, and taken over as they are now: ${edited.join(", ")}`);
  }
  if (newer.length > 0) onNote(unknownStepsText(newer));
  if (late.length > 0) onNote(`Added before applied steps, and run after them: ${late.join(", ")}`);
}

/**
 * Records names, positions and checksums as the application has them now: a step that was merged between applied ones
 * changes the positions, and an older version has other checksums.
 */
async function recordSteps(
  handle: Handle,
  migrations: readonly Migration[],
  { rows, copies }: StepComparison,
): Promise<void> {
  const dialect = dialectOf(handle);
  const changes = numberSteps(migrations).flatMap(({ step, ...id }) => {
    const row = rows.get(stepKey(id));
    // The SQL of a half-done step may have been corrected.
    const isKept = row?.applied_at === null && step.batches === undefined;
    const recorded = { ...id, checksum: isKept ? row.checksum : checksum(step.up, dialect) };
    const isSame =
      row === undefined || (row.name === id.name && row.number === id.number && row.checksum === recorded.checksum);
    return isSame ? [] : [{ row, recorded }];
  });
  if (changes.length === 0 && copies.length === 0) return;
  await handle.transaction(async (inner) => {
    for (const row of copies) await State.deleteAppliedStep(inner, row);
    for (const { row, recorded } of changes) await State.updateAppliedStep(inner, row, recorded);
  });
}

/**
 * Throws E_MIGRATION_HALF_DONE, with the interrupted statement and the invalid indexes of the database, for a step that was
 * interrupted and cannot go on by itself.
 */
async function assertNotHalfDone(handle: Handle): Promise<void> {
  const progress = await State.readProgress(handle);
  for (const row of await State.readAppliedSteps(handle)) {
    // A step in batches goes on; one that this application does not define is of another version.
    const { batches, canResume = false, statements = 0 } = progress.get(stepKey(row)) ?? {};
    if (row.applied_at !== null || batches !== undefined || canResume) continue;
    const invalid = await findInvalidIndexes(handle);
    const details = [
      ...(statements === 0 ? [] : [`Statement ${statements + 1} was interrupted; those before it are complete.`]),
      ...(invalid.length === 0 ? [] : [invalidIndexText(invalid)]),
      ...(dialectOf(handle).name === "sqlite" ? ["Another process may be running it right now."] : []),
    ];
    throw errors.E_MIGRATION_HALF_DONE(stepLabel(row), details.join(" "));
  }
}

/**
 * Reverts the last applied steps in reverse order and returns their labels. Throws E_MIGRATION_NO_DOWN before any step is
 * reverted, if one of them has no `down` or is not defined; the errors of `migrateUp`.
 */
export function migrateDown(
  database: Database,
  migrations: readonly Migration[],
  count: number,
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  return withMigrationLock(database, options, async (handle) => {
    await State.claimEnvironment(handle);
    const comparison = await compareWithRows(handle, migrations);
    const steps = new Map(
      numberSteps(migrations).flatMap(({ step, ...id }, index) => {
        const row = comparison.rows.get(stepKey(id));
        return row === undefined ? [] : [[stepKey(row), { step, index }] as const];
      }),
    );
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
    await recordMigratedRows(handle, async () => {
      for (const { row, script, isTransactional } of reversions) {
        options.onStepStart?.(stepLabel(row));
        const startedMs = Time.monotonic();
        await revertStep(handle, row, script, isTransactional);
        options.onStepEnd?.(stepLabel(row), Time.monotonic() - startedMs);
      }
    });
    return lastRows.map(stepLabel);
  });
}

/** Decision on a half-done step: it is complete, goes on with the interrupted statement, or runs again from its start. */
export type Resolution = "applied" | "resume" | "retry";

/** Resolves a half-done step, which is named by its name or its position. Throws E_MIGRATION_NOT_HALF_DONE. */
export function resolveStep(
  database: Database,
  migrations: readonly Migration[],
  { namespace, step }: { readonly namespace: string; readonly step: string },
  resolution: Resolution,
): Promise<void> {
  return withMigrationLock(database, {}, async (handle) => {
    const rows = await State.readAppliedSteps(handle);
    const row = rows.find(
      ({ applied_at, ...id }) =>
        applied_at === null && id.namespace === namespace && (id.name === step || String(id.number) === step),
    );
    if (row === undefined) throw errors.E_MIGRATION_NOT_HALF_DONE(`${namespace} ${step}`);
    if (resolution === "retry") await State.deleteAppliedStep(handle, row);
    else if (resolution === "applied") {
      const defined = numberSteps(migrations).find((numbered) => stepKey(numbered) === stepKey(row));
      const sum = defined === undefined ? row.checksum : checksum(defined.step.up, dialectOf(handle));
      await State.markStepApplied(handle, { ...row, checksum: sum, applied_at: Time.now(), duration_ms: 0 });
    } else
      await State.updateProgress(handle, row, {
        statements: (await State.findProgress(handle, row))?.statements ?? 0,
        canResume: true,
      });
  });
}

/**
 * Records the steps of a namespace as this application has them now, after steps were edited, moved, renamed or removed on
 * purpose. Returns the sentences about the differences.
 */
export function acceptSteps(
  database: Database,
  migrations: readonly Migration[],
  namespace: string,
): Promise<readonly string[]> {
  return withMigrationLock(database, {}, async (handle) => {
    await State.claimEnvironment(handle);
    const accepted = migrations.filter((migration) => migration.namespace === namespace);
    const comparison = await compareWithRows(handle, accepted);
    const { rows, surplus, renamed, copies } = comparison;
    await recordSteps(handle, accepted, {
      ...comparison,
      rows: new Map([...rows, ...[...renamed].map(([row, step]) => [stepKey(step), row] as const)]),
      copies: [...copies, ...surplus.filter((row) => !renamed.has(row))],
    });
    return [
      ...comparison.differences.map(({ text }) => text),
      ...comparison.newer.map((label) => `${label} was removed`),
    ];
  });
}

/** Returns E_MIGRATION_CHANGED with all differences. */
export function changedError({ differences }: StepComparison): Error {
  const namespaces = new Set(differences.map(({ namespace }) => namespace));
  const failure = errors.E_MIGRATION_CHANGED(
    differences.map(({ text }) => text),
    [...namespaces],
  );
  return withDeclarations(failure, ...differences.map(({ declaration }) => declaration));
}

/** Returns the sentence about steps that a newer release has applied. */
const unknownStepsText = (labels: readonly string[]): string =>
  `The database has migration steps that this application does not define, of a newer release or removed: ${labels.join(", ")}`;

/** Returns the findings of a check: pending and changed steps are a problem, unknown steps a warning. */
export function stepFindings(comparison: StepComparison): readonly Service.Finding[] {
  const { statuses, differences, edited, newer } = comparison;
  const findings: Service.Finding[] = [];
  const add = (level: "problem" | "warning", message: string): void => void findings.push({ level, message });
  const pending = statuses.filter(isPending).map(stepLabel);
  if (differences.length > 0) add("problem", changedError(comparison).message);
  for (const label of edited) add("warning", `The migration step ${label} was changed after it was applied`);
  if (newer.length > 0) add("warning", unknownStepsText(newer));
  if (pending.length > 0) {
    const { code, message } = errors.E_MIGRATION_PENDING(pending);
    findings.push({ level: "problem", message, code });
  }
  if (findings.length > 0) return findings;
  return [{ level: "ok", message: `All migration steps (${statuses.length}) are applied` }];
}
