import type { Connection } from "./contract.ts";

/** The place of one connection, and how it is doing. */
export class Slot {
  connection: Connection | Promise<Connection> | undefined = undefined;
  /** How many statements wait for their answer. */
  waiting = 0;
  /** When it last answered, or began to wait after a pause. */
  since = 0;

  /** Counts a statement that waits for its answer. */
  begin(): void {
    if (this.waiting++ === 0) this.since = performance.now();
  }

  /** Tells that a statement waits no longer. */
  end(): void {
    this.waiting -= 1;
    this.since = performance.now();
  }
}

// Milliseconds without an answer, after which something slow is taken to hold up what waits behind it.
const stuckAfter = 10;

/** Connections that carry the statements of many users at once, each statement on its own, answered in order. */
export class SharedLane {
  readonly #open: () => Promise<Connection>;
  readonly #slots: readonly Slot[];

  constructor(size: number, open: () => Promise<Connection>) {
    this.#open = open;
    this.#slots = Array.from({ length: size }, () => new Slot());
  }

  /** Whether something slow holds up every connection. */
  get isStuck(): boolean {
    for (const { waiting } of this.#slots) if (waiting === 0) return false;
    const now = performance.now();
    return this.#slots.every(({ since }) => now - since > stuckAfter);
  }

  /** The slot on which the fewest wait. Whoever sends on its connection counts there what it sends. */
  get best(): Slot {
    let best = this.#slots[0] as Slot;
    for (const slot of this.#slots) if (slot.waiting < best.waiting) best = slot;
    return best;
  }

  /** The connection of a slot, opened when there is none. */
  connectionOf(slot: Slot): Connection | Promise<Connection> {
    const { connection } = slot;
    if (connection instanceof Promise) return connection;
    if (connection !== undefined && connection.state !== "closed") return connection;
    slot.connection = this.#openFor(slot);
    return slot.connection;
  }

  /** Closes all. */
  async close(): Promise<void> {
    for (const slot of this.#slots) {
      const connection = await Promise.resolve(slot.connection).catch(() => undefined);
      slot.connection = undefined;
      await connection?.close();
    }
  }

  async #openFor(slot: Slot): Promise<Connection> {
    try {
      const connection = await this.#open();
      slot.connection = connection;
      return connection;
    } catch (error) {
      slot.connection = undefined;
      throw error;
    }
  }
}
