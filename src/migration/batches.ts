import { isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { connectionOf, type Handle, identifierFragment, Row, sql } from "../database/index.ts";
import { errors } from "./errors.ts";
import { withLockTimeout } from "./lock.ts";
import * as State from "./state.ts";
import {
  type BatchDefinition,
  type BatchKey,
  type BatchProgress,
  type BatchState,
  type StepId,
  stepLabel,
} from "./step.ts";

/** Options of `runBatches`. */
export interface BatchRunOptions {
  readonly onProgress: (progress: BatchProgress) => void;
  /** Stops the step before its next batch. */
  readonly signal: AbortSignal | undefined;
  /** Maximum time that a statement waits for a lock, in milliseconds. */
  readonly lockTimeoutMs: number | undefined;
}

// The batch is repeated with half as many rows each time.
const maxBatchRetries = 6;
const retryableErrors = ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION", "E_DATABASE_LOCK_TIMEOUT"];

/**
 * Runs the remaining batches of a data step whose row is in the state table. Returns false if another process has completed
 * the step in the meantime. Throws E_MIGRATION_STOPPED if the signal is aborted; E_MIGRATION_BATCH_KEY.
 */
export async function runBatches(
  handle: Handle,
  row: StepId,
  definition: BatchDefinition,
  { onProgress, signal, lockTimeoutMs }: BatchRunOptions,
): Promise<boolean> {
  const { batchSize = 500, maxBatchSize = 10_000, batchMs = 250, pauseMs = 0 } = definition;
  let size = batchSize;
  for (let failures = 0; ;) {
    if (signal?.aborted === true) throw errors.E_MIGRATION_STOPPED(stepLabel(row));
    const startedMs = Time.monotonic();
    try {
      const progress = await handle.transaction((inner) =>
        withLockTimeout(inner, lockTimeoutMs, () => runBatch(inner, row, definition, size)),
      );
      if (typeof progress === "string") return progress === "done";
      failures = 0;
      onProgress(progress);
    } catch (error) {
      if (failures++ >= maxBatchRetries || !retryableErrors.some((code) => isError(error, code))) throw error;
      size = Math.max(1, Math.floor(size / 2));
      await Time.sleep(2 ** failures * 10);
      continue;
    }
    size = Math.min(maxBatchSize, nextSize(size, Time.monotonic() - startedMs, batchMs));
    // Yield: on SQLite a transaction is synchronous, and other statements and signals must get their turn.
    await (pauseMs > 0 ? Time.sleep(pauseMs) : new Promise(setImmediate));
  }
}

/** Returns the number of rows of the next batch: at most twice and at least half as many as before. */
function nextSize(size: number, durationMs: number, targetMs: number): number {
  const factor = Math.min(2, Math.max(0.5, targetMs / Math.max(durationMs, 1)));
  return Math.max(1, Math.round(size * factor));
}

async function runBatch(
  handle: Handle,
  row: StepId,
  definition: BatchDefinition,
  size: number,
): Promise<BatchState | "done" | "taken"> {
  // Read again in each transaction: behind a connection pooler, two processes may take turns with the batches of one step.
  const state = await State.findBatchState(handle, row);
  if (state === undefined) return "taken";
  const { table, key: keyName = "id", where } = definition;
  const key = identifierFragment(keyName);
  const after = state.position === undefined ? [] : [sql`${key} > ${state.position}`];
  const selected = where === undefined ? [] : [sql`(${where})`];
  const conditions = [...after, ...selected];
  const condition = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const rows = await handle.collect(
    sql`select ${key} as batch_key from ${identifierFragment(table)} ${condition} order by ${key} limit ${size}`,
  );
  const keys = rows.map(({ batch_key: value }): BatchKey => {
    if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
    throw errors.E_MIGRATION_BATCH_KEY(table, value === null ? "null" : typeof value);
  });
  const last = keys.at(-1);
  if (last === undefined) return "done";
  const range = sql.join([...after, sql`${key} <= ${last}`, ...selected], sql` and `);
  await definition.run({ handle, keys, range });
  const next = { position: last, done: state.done + keys.length, total: state.total };
  await State.updateBatchState(handle, row, next);
  return next;
}

// Tables up to this number of rows are counted exactly. Larger ones are estimated by the statistics of the database.
const maxCountedRows = 200_000;

/** Returns the number of rows that a data step will visit, or `undefined` if it is not known. */
export async function countRows(handle: Handle, { table, where }: BatchDefinition): Promise<number | undefined> {
  const name = identifierFragment(table);
  const { dialect } = connectionOf(handle).pool.driver;
  const condition = where === undefined ? sql`` : sql`where ${where}`;
  const estimate = dialect.name === "sqlite" ? 0 : await handle.find(estimateOf[dialect.name](table));
  if (estimate > maxCountedRows) return where === undefined ? estimate : undefined;
  return handle.find(sql.value(Row.int)`select count(*) from ${name} ${condition}`);
}

// A new table of PostgreSQL has no statistics, but pages: at least one row on each.
const estimateOf = {
  postgresql: (table: string) => sql.value(Row.int)`
    select greatest(reltuples, pg_relation_size(oid) / 8192)::bigint from pg_class where oid = to_regclass(${`"${table}"`})`,
  mariadb: (table: string) => sql.value(Row.int)`
    select coalesce(max(table_rows), 0) from information_schema.tables
    where table_schema = database() and table_name = ${table}`,
} as const;
