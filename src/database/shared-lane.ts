import type { Connection } from "./contract.ts";

/** Connections that carry the statements of many users at once, each statement on its own. */
export class SharedLane {
  readonly size: number;
  readonly #open: () => Promise<Connection>;
  readonly #connections: (Connection | Promise<Connection> | undefined)[];
  #next = 0;

  constructor(size: number, open: () => Promise<Connection>) {
    this.size = size;
    this.#open = open;
    this.#connections = Array.from({ length: size }, () => undefined);
  }

  /** The next connection in turn, opened when it is not. */
  pick(): Connection | Promise<Connection> {
    const index = this.#next;
    this.#next = (index + 1) % this.size;
    const connection = this.#connections[index];
    if (connection instanceof Promise) return connection;
    if (connection !== undefined && connection.state !== "closed") return connection;
    const opening = this.#open().then(
      (opened) => {
        this.#connections[index] = opened;
        return opened;
      },
      (error: unknown) => {
        this.#connections[index] = undefined;
        throw error;
      },
    );
    this.#connections[index] = opening;
    return opening;
  }

  /** Closes all. */
  async close(): Promise<void> {
    for (const connection of this.#connections.splice(0)) {
      await (await Promise.resolve(connection).catch(() => undefined))?.close();
    }
  }
}
