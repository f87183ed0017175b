import type { Driver } from "../contract.ts";
import { PipelinedStatements, type PipelinedStatementsOptions } from "./pipelined-statements.ts";

// Pending writes of a connection from which another one is used as well, so that commits wait for the disk at the same time
// (docs/decisions/022). All writes on two connections: 822 instead of 5,429 inserts per second on a busy disk.
const maxQueuedWrites = 8;

// Age from which a read is slow: the connections of the pool run more of these at the same time than two of them do. Reads
// of 5 ms by 64 callers: 1,648 instead of 410 per second with a limit of 10 ms.
const slowReadMs = 2;

// Age from which a write is slow. A commit waits for the disk, and would wait for it on any connection.
const slowWriteMs = 10;

// Age from which a write that does not wait for a lock is cancelled if others wait behind it. Before, it may be a commit
// that waits for the disk, which a cancellation would not end.
const maxWriteHoldUpMs = 100;

// Words at the start of a single write. Anything else may have effects beyond its transaction.
const writeStart = /^\s*(?:insert|update|delete|merge)\b/i;

/** Shared connections of a pool, for single reads and single writes. */
export interface PipelinedUses {
  readonly reads: PipelinedStatements;
  /** Apart from the reads, because a write may wait for a lock. */
  readonly writes: PipelinedStatements;
}

/** Creates the shared connections of a pool. */
export function makePipelinedStatements(
  options: Pick<PipelinedStatementsOptions, "pool" | "acquireTimeoutMs" | "maxPending">,
  driver: Driver,
): PipelinedUses {
  return {
    reads: new PipelinedStatements({
      ...options,
      use: "pipelined reads",
      maxQueued: Infinity,
      slowMs: slowReadMs,
      maxHoldUpMs: 0,
      canPipeline: () => driver.canPipeline,
      isShareable: () => true,
    }),
    writes: new PipelinedStatements({
      ...options,
      use: "pipelined writes",
      maxQueued: maxQueuedWrites,
      slowMs: slowWriteMs,
      maxHoldUpMs: maxWriteHoldUpMs,
      canPipeline: () => driver.canPipelineWrites,
      isShareable: ({ text }) => writeStart.test(text),
    }),
  };
}
