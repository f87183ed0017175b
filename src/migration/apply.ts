import { isError, messageOf } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { connectionOf, type Dialect, type Handle, refuseTransactionControl } from "../database/index.ts";
import { countRows, runBatches } from "./batches.ts";
import { concurrentIndexName, dropInvalidIndex, findInvalidIndexes, hasValidIndex } from "./concurrent-index.ts";
import { errors } from "./errors.ts";
import { parseStatements } from "./sql-tokens.ts";
import { withLockTimeout } from "./lock.ts";
import type { MigrationRunOptions } from "./runner.ts";
import * as State from "./state.ts";
import { mayHaveGuards, runGuard, runGuardedScript } from "./values/guard.ts";
import { checksum, type NumberedStep, scriptOf, statementsOf, type Step, stepLabel } from "./step.ts";

/** Returns the dialect of a handle. */
export const dialectOf = (handle: Handle): Dialect => connectionOf(handle).pool.driver.dialect;

/** Run of a step: its database, and the rows that it writes to the state table. */
interface StepRun {
  readonly step: Step;
  readonly label: string;
  readonly dialect: Dialect;
  readonly options: MigrationRunOptions;
  readonly startedRow: State.AppliedStep;
  readonly appliedRow: () => State.AppliedStep;
}

/**
 * Applies a step, or goes on with a started one. Returns false if another process has applied it in the meantime. Throws
 * E_MIGRATION_FAILED, E_MIGRATION_STOPPED, E_MIGRATION_IN_TRANSACTION.
 */
export async function applyStep(
  handle: Handle,
  numbered: NumberedStep,
  options: MigrationRunOptions,
): Promise<boolean> {
  const { step, ...id } = numbered;
  const [label, dialect, startedMs] = [stepLabel(numbered), dialectOf(handle), Time.monotonic()];
  const startedRow: State.AppliedStep = {
    ...id,
    checksum: checksum(step.up, dialect),
    started_at: Time.now(),
    applied_at: null,
    duration_ms: null,
  };
  const appliedRow = (): State.AppliedStep => {
    return { ...startedRow, applied_at: Time.now(), duration_ms: Math.round(Time.monotonic() - startedMs) };
  };
  const run: StepRun = { step, label, dialect, options, startedRow, appliedRow };
  if (!step.isTransactional && connectionOf(handle).connection.state === "transaction") {
    throw errors.E_MIGRATION_IN_TRANSACTION(label);
  }
  return withStepError(handle, label, async () => {
    if (step.batches !== undefined) return applyBatches(handle, run, step.batches);
    const script = scriptOf(step.up, dialect);
    refuseTransactionControls(handle, script);
    if (!step.isTransactional || !dialect.hasTransactionalDdl) {
      return withForeignKeysAfter(handle, () => applyEachStatement(handle, run));
    }
    return runInTransaction(handle, label, script, async (inner, runScript) => {
      // Behind a connection pooler, the lock does not exclude others: another process may have applied the step.
      if ((await State.findAppliedStep(inner, startedRow)) !== undefined) return false;
      await withLockTimeout(inner, step.lockTimeoutMs, runScript);
      await State.insertAppliedStep(inner, appliedRow());
      return true;
    });
  });
}

/** Refuses a script that begins or ends a transaction, before any of it runs: a failure could not undo the part before. */
function refuseTransactionControls(handle: Handle, script: string): void {
  for (const { text } of parseStatements(script, dialectOf(handle).name)) refuseTransactionControl(text);
}

const tableChangePattern = /\b(?:drop|alter)\s+table\b/i;

/** Runs a callback in a transaction, with the function that runs the script of a step in it. */
async function runInTransaction<T>(
  handle: Handle,
  label: string,
  script: string,
  callback: (inner: Handle, runScript: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (dialectOf(handle).name === "sqlite" && tableChangePattern.test(script)) {
    const { withTableChanges } = await import("./sqlite/table-changes.ts");
    return withTableChanges(handle, label, script, callback);
  }
  return handle.transaction((inner) =>
    callback(inner, async () => {
      if (mayHaveGuards(script)) await runGuardedScript(inner, label, script);
      else if (script !== "") await connectionOf(inner).connection.script(script);
    }),
  );
}

/** Reverts a step by a script and deletes its row. Outside a transaction, the script runs statement by statement. */
export function revertStep(
  handle: Handle,
  row: State.AppliedStep,
  script: string,
  isTransactional: boolean,
): Promise<void> {
  const label = stepLabel(row);
  return withStepError(handle, label, async () => {
    refuseTransactionControls(handle, script);
    if (isTransactional) {
      return runInTransaction(handle, label, script, async (inner, runScript) => {
        await runScript();
        await State.deleteAppliedStep(inner, row);
      });
    }
    await withForeignKeysAfter(handle, async () => {
      for (const { text } of parseStatements(script, dialectOf(handle).name)) {
        await runStatement(handle, text, false, label, {});
      }
    });
    return State.deleteAppliedStep(handle, row);
  });
}

/** Switches the foreign keys of SQLite on again after a callback whose statements may have switched them off. */
async function withForeignKeysAfter<T>(handle: Handle, callback: () => Promise<T>): Promise<T> {
  try {
    return await callback();
  } finally {
    const { connection } = connectionOf(handle);
    if (dialectOf(handle).name === "sqlite" && connection.state !== "closed") {
      await connection.script("pragma foreign_keys = on");
    }
  }
}

/** Runs statements one by one, and records each, so that an interrupted step is known and can go on. */
async function applyEachStatement(handle: Handle, run: StepRun): Promise<boolean> {
  const { step, label, dialect, options, startedRow, appliedRow } = run;
  const isStarted = (await State.findAppliedStep(handle, startedRow)) !== undefined;
  if (!isStarted) await State.insertAppliedStep(handle, startedRow);
  const record = (statements: number, canResume: boolean): Promise<void> =>
    State.updateProgress(handle, startedRow, { statements, canResume });
  const statements = separateStatements(step, dialect);
  const first = isStarted ? ((await State.findProgress(handle, startedRow))?.statements ?? 0) : 0;
  if (isStarted) await record(first, false);
  for (const [index, statement] of statements.entries()) {
    if (index < first) continue;
    try {
      await withLockTimeout(handle, lockTimeoutOf(step, dialect), () =>
        runStatement(handle, statement, isStarted && index === first, label, options),
      );
    } catch (error) {
      // A refused guard has changed nothing: the next run begins with it.
      if (isError(error, "E_MIGRATION_VALUES") && (index > 0 || isStarted)) await record(index, true);
      // A refused first statement has changed nothing, so that the step can simply run again. A resumed one may be complete.
      const isSingle = !isStarted && index === 0 && parseStatements(statement, dialect.name).length <= 1;
      if (isSingle && connectionOf(handle).connection.state !== "closed") {
        await State.deleteAppliedStep(handle, startedRow);
      }
      throw error;
    }
    if (index + 1 < statements.length) await record(index + 1, false);
  }
  await State.markStepApplied(handle, appliedRow());
  return true;
}

function separateStatements(step: Step, dialect: Dialect): readonly string[] {
  // MariaDB refuses a text that only consists of comments.
  const texts = statementsOf(step.up, dialect).filter((text) => parseStatements(text, dialect.name).length > 0);
  if (step.isTransactional) return texts;
  // PostgreSQL runs a text of several statements in a transaction of its own.
  return texts.flatMap((text) => parseStatements(text, dialect.name).map((statement) => statement.text));
}

/** Runs a statement. Deletes an invalid index that a former attempt to build the same index has left. */
async function runStatement(
  handle: Handle,
  statement: string,
  isResumed: boolean,
  label: string,
  { onNote }: MigrationRunOptions,
): Promise<void> {
  if (await runGuard(handle, label, statement)) return;
  if (dialectOf(handle).name === "sqlite" && tableChangePattern.test(statement)) {
    const { runTableChange } = await import("./sqlite/table-changes.ts");
    return runTableChange(handle, label, statement);
  }
  const index = dialectOf(handle).name === "postgresql" ? concurrentIndexName(statement) : undefined;
  if (index !== undefined) {
    if (isResumed && (await hasValidIndex(handle, index))) return;
    if (await dropInvalidIndex(handle, index)) onNote?.(`Dropped the invalid index "${index}", and builds it again.`);
  }
  await connectionOf(handle).connection.script(statement);
}

async function applyBatches(
  handle: Handle,
  { step, label, options, startedRow, appliedRow }: StepRun,
  definition: NonNullable<Step["batches"]>,
): Promise<boolean> {
  if ((await State.findAppliedStep(handle, startedRow)) === undefined) {
    const total = await countRows(handle, definition);
    await handle.transaction(async (inner) => {
      if ((await State.findAppliedStep(inner, startedRow)) !== undefined) return;
      await State.insertAppliedStep(inner, startedRow);
      await State.updateBatchState(inner, startedRow, { done: 0, total, position: undefined });
    });
  }
  const isOurs = await runBatches(handle, startedRow, definition, {
    onProgress: (progress) => options.onProgress?.(label, progress),
    signal: options.signal,
    lockTimeoutMs: step.lockTimeoutMs,
  });
  if (isOurs) await State.markStepApplied(handle, appliedRow());
  return isOurs;
}

/** Returns the limit for the locks of a step: of the step, or none for a build that blocks nothing while it waits. */
function lockTimeoutOf(step: Step, dialect: Dialect): number | undefined {
  if (step.lockTimeoutMs !== undefined) return step.lockTimeoutMs;
  const isConcurrent = !step.isTransactional && /\bconcurrently\b/i.test(scriptOf(step.up, dialect));
  return isConcurrent ? 0 : undefined;
}

const lockTimeoutText =
  "another transaction held a lock for too long. Run it again at a time of few writes, or raise the step's lockTimeoutMs";

/** Errors that name the step themselves. */
const ownErrors = [
  "E_MIGRATION_STOPPED",
  "E_MIGRATION_IN_TRANSACTION",
  "E_MIGRATION_FOREIGN_KEY",
  "E_MIGRATION_REBUILD",
  "E_MIGRATION_VALUES",
];

/** Wraps an error of a step, and names the invalid indexes that a failed concurrent build has left. */
async function withStepError<T>(handle: Handle, label: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (ownErrors.some((code) => isError(cause, code))) throw cause;
    const invalid = await findInvalidIndexes(handle).catch(() => []);
    const detail = invalid.length === 0 ? "" : `. ${invalidIndexText(invalid)}`;
    const { driver } = connectionOf(handle).pool;
    const reason = driver.classify(cause) === "lock timeout" ? lockTimeoutText : messageOf(cause);
    throw errors.E_MIGRATION_FAILED(label, reason + detail).causedBy(cause);
  }
}

/** Returns the sentence that names invalid indexes. */
export function invalidIndexText(names: readonly string[]): string {
  const list = names.map((name) => `"${name}"`).join(", ");
  return `The database has invalid indexes, which a failed "create index concurrently" has left: ${list}. The next run of their step builds them again; drop others with "drop index concurrently".`;
}
