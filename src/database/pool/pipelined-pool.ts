import type { Connection } from "../contract.ts";

/** Connection of a pipelined pool, with the number of its pending statements. */
export class PipelinedConnection {
  connection: Connection | Promise<Connection> | undefined = undefined;
  /** Number of statements that were sent and not yet answered. */
  pendingStatements = 0;
  /** Time of the last answer, or of the first statement after an idle period, on the clock of `performance.now`. */
  lastProgressMs = 0;

  /** Counts a statement that was sent. */
  statementSent(): void {
    if (this.pendingStatements++ === 0) this.lastProgressMs = performance.now();
  }

  /** Counts a statement that was answered or failed. */
  statementSettled(): void {
    this.pendingStatements -= 1;
    this.lastProgressMs = performance.now();
  }
}

// Time without an answer after which a slow statement is assumed to delay the statements behind it.
const stallThresholdMs = 10;

/** Pool of connections that carry statements of many callers at once. Each connection answers in order. */
export class PipelinedPool {
  readonly #open: () => Promise<Connection>;
  readonly #connections: readonly PipelinedConnection[];

  constructor(size: number, open: () => Promise<Connection>) {
    this.#open = open;
    this.#connections = Array.from({ length: size }, () => new PipelinedConnection());
  }

  /** True if a slow statement delays others on every connection. */
  get isStalled(): boolean {
    for (const { pendingStatements } of this.#connections) if (pendingStatements === 0) return false;
    const nowMs = performance.now();
    return this.#connections.every(({ lastProgressMs }) => nowMs - lastProgressMs > stallThresholdMs);
  }

  /** Connection with the fewest pending statements. Its user reports each statement that it sends. */
  get leastBusy(): PipelinedConnection {
    let leastBusy = this.#connections[0] as PipelinedConnection;
    for (const pipelined of this.#connections) {
      if (pipelined.pendingStatements < leastBusy.pendingStatements) leastBusy = pipelined;
    }
    return leastBusy;
  }

  /** Returns the driver's connection of a pipelined connection; opens it if there is none or it was closed. */
  connectionOf(pipelined: PipelinedConnection): Connection | Promise<Connection> {
    const { connection } = pipelined;
    if (connection instanceof Promise) return connection;
    if (connection !== undefined && connection.state !== "closed") return connection;
    pipelined.connection = this.#openInto(pipelined);
    return pipelined.connection;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const pipelined of this.#connections) {
      const connection = await Promise.resolve(pipelined.connection).catch(() => undefined);
      pipelined.connection = undefined;
      await connection?.close();
    }
  }

  async #openInto(pipelined: PipelinedConnection): Promise<Connection> {
    try {
      const connection = await this.#open();
      pipelined.connection = connection;
      return connection;
    } catch (error) {
      pipelined.connection = undefined;
      throw error;
    }
  }
}
