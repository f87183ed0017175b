import { Gate, gateOptions } from "./password/index.ts";

/**
 * Lets a few attempts on one account be made at once, and the others one after the other: each then sees the failures
 * of those before, so that many guesses at once are no more than many in a row. Whoever attacks one account thereby holds
 * up no other.
 */
export class Turns {
  readonly #gates = new Map<string, Gate>();

  /** Accounts on which attempts are made at present. Of others nothing is kept. */
  get size(): number {
    return this.#gates.size;
  }

  /** @throws E_PASSWORD_BUSY when too many wait for this account; the reason of the signal */
  async take<T>(account: string, attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const gate = this.#gates.get(account) ?? new Gate(gateOptions);
    this.#gates.set(account, gate);
    try {
      return await gate.run(attempt, signal);
    } finally {
      const { running, waiting } = gate.counts;
      if (running + waiting === 0) this.#gates.delete(account);
    }
  }
}
