import type { Answer, Connection } from "./contract.ts";

/** One connection, and how it is doing. */
interface Slot {
  connection: Connection | Promise<Connection> | undefined;
  /** How many statements wait for their answer. */
  waiting: number;
  /** When it last answered, or began to wait after a pause. */
  since: number;
}

// Milliseconds without an answer, after which something slow is taken to hold up what waits behind it.
const stuckAfter = 10;

/** Connections that carry the statements of many users at once, each statement on its own, answered in order. */
export class SharedLane {
  readonly #open: () => Promise<Connection>;
  readonly #slots: readonly Slot[];

  constructor(size: number, open: () => Promise<Connection>) {
    this.#open = open;
    this.#slots = Array.from({ length: size }, () => ({ connection: undefined, waiting: 0, since: 0 }));
  }

  /** Whether something slow holds up every connection. */
  get isStuck(): boolean {
    const now = performance.now();
    return this.#slots.every(({ waiting, since }) => waiting > 0 && now - since > stuckAfter);
  }

  /** Runs a statement on the connection on which the fewest wait. */
  execute(send: Send): Answer | Promise<Answer> {
    const slot = this.#slots.reduce((best, next) => (next.waiting < best.waiting ? next : best));
    const connection = this.#connectionOf(slot);
    const answer = connection instanceof Promise ? sendLater(connection, send) : send(connection);
    if (!(answer instanceof Promise)) return answer;
    if (slot.waiting++ === 0) slot.since = performance.now();
    const settle = (): void => {
      slot.waiting -= 1;
      slot.since = performance.now();
    };
    answer.then(settle, settle);
    return answer;
  }

  /** Closes all. */
  async close(): Promise<void> {
    for (const slot of this.#slots) {
      const connection = await Promise.resolve(slot.connection).catch(() => undefined);
      slot.connection = undefined;
      await connection?.close();
    }
  }

  #connectionOf(slot: Slot): Connection | Promise<Connection> {
    const { connection } = slot;
    if (connection instanceof Promise) return connection;
    if (connection !== undefined && connection.state !== "closed") return connection;
    slot.connection = this.#openFor(slot);
    return slot.connection;
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

type Send = (connection: Connection) => Answer | Promise<Answer>;

async function sendLater(connection: Promise<Connection>, send: Send): Promise<Answer> {
  return send(await connection);
}
