import type { Connection, PreparedStatement } from "../contract.ts";
import type { PipelinedStatements } from "./pipelined-statements.ts";

/** Connection of a pool that single statements share, until all of them are answered. */
export class PipelinedConnection {
  /** The driver's connection; a promise while none is free. */
  connection: Connection | Promise<Connection>;
  /** Number of statements that are not yet answered. */
  pendingCount = 0;
  /** Number of statements that were answered or failed. Identifies the running statement. */
  settledCount = 0;
  /** True once the cancellation of a statement was requested, because others waited behind it. */
  isInterrupted = false;
  /** True if several statements may be sent before the first is answered. */
  readonly isPipelined: boolean;
  /** True if no further statement may be sent. */
  isClosing: boolean;
  /** True if the running statement was found to be slow. */
  isSlow = false;
  /** True if a cancellation may still concern a later statement, so that the connection cannot be used again. */
  mustClose = false;
  /** Value of `settledCount` at the last check. */
  checkedCount = -1;
  /** Time of the check that first found the running statement, by `performance.now()`. */
  checkedSinceMs = 0;
  /** Age from which the running statement must not hold up others any longer, in milliseconds. */
  maxHoldUpMs = 0;
  /** Time when the connection was opened for its current use, by `performance.now()`. */
  openedMs: number;
  /** Settles when a cancellation can no longer concern a later statement. */
  interrupting: Promise<void> | undefined;
  readonly #owner: PipelinedStatements;

  constructor(owner: PipelinedStatements, connection: Connection | Promise<Connection>, isPipelined: boolean) {
    this.#owner = owner;
    this.connection = connection;
    this.openedMs = performance.now();
    this.isPipelined = isPipelined;
    this.isClosing = !isPipelined;
  }

  /** Sets the driver's connection, once one is free. */
  opened(connection: Connection): void {
    this.connection = connection;
    this.openedMs = performance.now();
  }

  /** Counts a statement that was answered or failed. */
  statementSettled(prepared: PreparedStatement): void {
    this.pendingCount -= 1;
    this.settledCount += 1;
    this.#owner.statementSettled(this, prepared);
    this.isSlow = false;
  }
}
