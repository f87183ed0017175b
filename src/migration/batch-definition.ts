import type { Handle, SqlPart } from "../database/index.ts";

/** One batch of a data step. */
export interface BatchContext {
  /** Transaction of the batch. */
  readonly handle: Handle;
  /** Condition that selects the rows of this batch: `key > … and key <= …`. */
  readonly range: SqlPart;
  /** Keys of the rows of this batch, in order. */
  readonly keys: readonly BatchKey[];
}

/** Value of the key of a data step. */
export type BatchKey = string | number | bigint;

/** Work of a data step. */
export interface BatchDefinition {
  /** Table whose rows are visited. */
  readonly table: string;
  /** Column that orders the rows: unique, indexed, never null, a text, integer or UUID. Default `id`. */
  readonly key?: string;
  /** Condition that restricts the rows: `` sql`slug is null` ``. Default: all rows. */
  readonly where?: SqlPart;
  /** Changes the rows of one batch. Runs again, from its beginning, after a deadlock or a lock timeout. */
  readonly run: (context: BatchContext) => Promise<unknown>;
  /** Number of rows of the first batch. Default 500. */
  readonly batchSize?: number;
  /** Maximum number of rows of a batch. Default 10,000. */
  readonly maxBatchSize?: number;
  /** Duration of a batch, in milliseconds, that the number of rows is adapted to. It bounds the time of locks. Default 250. */
  readonly batchMs?: number;
  /** Pause between two batches, in milliseconds, so that replicas can follow. Default 0. */
  readonly pauseMs?: number;
}

/** Progress of a data step, in rows. */
export interface BatchProgress {
  readonly done: number;
  /** Number of all rows, or `undefined` if counting them would take long. */
  readonly total: number | undefined;
}

/** Progress and position of a data step, as the state table stores it. */
export interface BatchState extends BatchProgress {
  readonly position: BatchKey | undefined;
}

/** Returns the text that stands for the SQL of a data step in `migrate --dry-run`. */
export function describeBatches({ table, key = "id" }: BatchDefinition): string {
  return `-- changes rows of "${table}" in batches by "${key}"`;
}
