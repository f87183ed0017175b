import type { Connection, ConnectionUse, Driver, PreparedStatement } from "../contract.ts";
import { errors } from "../errors.ts";
import type { AcquireOptions, ConnectionPool } from "./connection-pool.ts";
import { PipelinedConnection } from "./pipelined-connection.ts";
import { StatementCosts } from "./statement-costs.ts";

/** Options of `PipelinedStatements`. */
interface PipelinedStatementsOptions {
  readonly pool: ConnectionPool;
  readonly use: ConnectionUse;
  /** Maximum time that a statement waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Maximum number of statements that are not answered. */
  readonly maxPending: number;
  /** Number of pending statements from which another connection is used, if one is free. */
  readonly maxQueued: number;
  /** Age from which a statement is slow, in milliseconds. */
  readonly slowMs: number;
  /** Age from which a statement that holds up others is cancelled even if it does not wait for a lock, in milliseconds. */
  readonly maxHoldUpMs: number;
  /** Returns false if each statement must have a connection of its own. */
  readonly canPipeline: () => boolean;
  /** Returns false for a statement that must have a connection of its own. Called once per statement. */
  readonly isShareable: (prepared: PreparedStatement) => boolean;
}

// Interval of the checks for slow statements.
const checkIntervalMs = 2;
// Interval while nothing but statements that are known to be slow is running.
const slowCheckIntervalMs = 10;
// Age of a statement from which those behind it must not wait any longer.
const holdUpMs = 10;
// Time after which a connection that never becomes idle is given up, if others wait for one.
const maxContendedUseMs = 10;
// Number of connections over which concurrent quick statements are spread.
const spread = 2;
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

/**
 * Shares connections of a pool among single statements: a statement is sent behind others, without waiting for their
 * answers.
 *
 * Only statements that are known to be quick share a connection. Any other has a connection of its own, as nothing can
 * overtake it there. A quick statement that becomes slow while others wait behind it, because it waits for a lock for
 * example, is cancelled, and runs again on a connection of its own. A cancelled statement has no effect.
 */
export class PipelinedStatements {
  readonly #options: PipelinedStatementsOptions;
  readonly #acquireOptions: AcquireOptions;
  readonly #costs: StatementCosts;
  readonly #connections: PipelinedConnection[] = [];
  #pendingCount = 0;
  #isCheckScheduled = false;

  constructor(options: PipelinedStatementsOptions) {
    this.#options = options;
    this.#acquireOptions = { timeoutMs: options.acquireTimeoutMs, use: options.use };
    this.#costs = new StatementCosts(options.isShareable);
  }

  /**
   * Returns the connection for a statement, and counts the statement. The caller reports its end by `statementSettled`.
   *
   * @throws E_DATABASE_POOL_FULL, or the errors of `ConnectionPool.acquire`
   */
  join(prepared: PreparedStatement): PipelinedConnection {
    const { maxPending, pool } = this.#options;
    if (this.#pendingCount >= maxPending) throw errors.E_DATABASE_POOL_FULL(maxPending, pool.size);
    const pipelined = this.#connectionFor(prepared);
    pipelined.pendingCount += 1;
    this.#pendingCount += 1;
    return pipelined;
  }

  /** Records that a statement has held up others, so that its next run has a connection of its own. */
  setCostly(prepared: PreparedStatement): void {
    this.#costs.setCostly(prepared);
  }

  /** Called by a connection when a statement was answered or failed. */
  statementSettled(pipelined: PipelinedConnection, prepared: PreparedStatement): void {
    this.#pendingCount -= 1;
    this.#costs.record(prepared, pipelined.isSlow);
    if (pipelined.pendingCount > 0) return;
    this.#remove(pipelined);
    if (pipelined.interrupting === undefined) this.#release(pipelined);
    else void pipelined.interrupting.then(() => this.#release(pipelined));
  }

  #release({ connection, mustClose }: PipelinedConnection): void {
    if (connection instanceof Promise) return;
    if (mustClose) void connection.close();
    void this.#options.pool.release(connection, this.#options.use);
  }

  #connectionFor(prepared: PreparedStatement): PipelinedConnection {
    const { canPipeline, pool, maxQueued } = this.#options;
    if (!this.#costs.isQuick(prepared) || !canPipeline()) return this.#open(false);
    let leastBusy: PipelinedConnection | undefined;
    let openCount = 0;
    for (const pipelined of this.#connections) {
      if (!this.#canJoin(pipelined)) continue;
      openCount += 1;
      if (leastBusy === undefined || pipelined.pendingCount < leastBusy.pendingCount) leastBusy = pipelined;
    }
    if (leastBusy === undefined) return this.#open(true);
    if (openCount >= spread && leastBusy.pendingCount < maxQueued) return leastBusy;
    if (pool.hasIdle) return this.#open(true);
    if (leastBusy.pendingCount >= maxQueued) pool.openIdle();
    return leastBusy;
  }

  #canJoin(pipelined: PipelinedConnection): boolean {
    const { pool } = this.#options;
    if (pipelined.isClosing || pipelined.isSlow || pool.isClosed) return false;
    if (pipelined.connection instanceof Promise) return true;
    if (pipelined.connection.state === "closed") return false;
    return !pool.hasWaiting || performance.now() - pipelined.openedMs <= maxContendedUseMs;
  }

  #open(isPipelined: boolean): PipelinedConnection {
    const connection = this.#options.pool.acquire(this.#acquireOptions);
    const pipelined = new PipelinedConnection(this, connection, isPipelined);
    this.#connections.push(pipelined);
    if (connection instanceof Promise) {
      connection.then(
        (opened) => pipelined.opened(opened),
        () => {
          this.#remove(pipelined);
          this.#pendingCount -= pipelined.pendingCount;
        },
      );
    }
    this.#scheduleCheck(checkIntervalMs);
    return pipelined;
  }

  #remove(pipelined: PipelinedConnection): void {
    const index = this.#connections.indexOf(pipelined);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  /** One timer for all connections, because a timer per statement would cost as much as the statement itself. */
  #scheduleCheck(intervalMs: number): void {
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    setTimeout(this.#check, intervalMs).unref();
  }

  /**
   * Looks for slow statements, after the answers that have arrived were read. Real time even under a fake clock, because
   * the statements run in the database. A statement that is found for the first time may not even be sent yet, so its age
   * counts from there, and no statement has to read the clock.
   */
  readonly #check = (): void => {
    setImmediate(() => {
      this.#isCheckScheduled = false;
      const nowMs = performance.now();
      let areAllSlow = true;
      for (const pipelined of this.#connections) {
        if (pipelined.connection instanceof Promise) continue;
        this.#checkConnection(pipelined, pipelined.connection, nowMs);
        areAllSlow &&= pipelined.isSlow && (pipelined.pendingCount === 1 || pipelined.isClosing);
      }
      if (this.#connections.length > 0) this.#scheduleCheck(areAllSlow ? slowCheckIntervalMs : checkIntervalMs);
    });
  };

  #checkConnection(pipelined: PipelinedConnection, connection: Connection, nowMs: number): void {
    if (pipelined.checkedCount !== pipelined.settledCount) {
      pipelined.checkedCount = pipelined.settledCount;
      pipelined.checkedSinceMs = nowMs;
      pipelined.maxHoldUpMs = pipelined.isClosing ? checkIntervalMs : holdUpMs;
      return;
    }
    const ageMs = nowMs - pipelined.checkedSinceMs;
    if (ageMs >= this.#options.slowMs) pipelined.isSlow = true;
    if (pipelined.pendingCount === 1 || ageMs < pipelined.maxHoldUpMs || pipelined.interrupting !== undefined) return;
    if (!this.#options.pool.hasCapacity) return;
    pipelined.maxHoldUpMs *= 2;
    pipelined.isInterrupted = true;
    pipelined.interrupting = this.#interrupt(pipelined, connection, ageMs < this.#options.maxHoldUpMs);
  }

  /** Cancels the running statement over another connection of the pool, which its next run will need as well. */
  async #interrupt(pipelined: PipelinedConnection, connection: Connection, onlyBlocked: boolean): Promise<void> {
    const { pool } = this.#options;
    const head = pipelined.settledCount;
    try {
      const other = await pool.acquire({ ...this.#acquireOptions, use: "exclusive" });
      try {
        const isStillHead = pipelined.settledCount === head && pipelined.pendingCount > 1;
        if (isStillHead && (await connection.interrupt(other, onlyBlocked))) pipelined.isClosing = true;
      } finally {
        void pool.release(other);
      }
    } catch {
      pipelined.isClosing = true;
      pipelined.mustClose = true;
    }
    pipelined.interrupting = undefined;
  }
}

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
