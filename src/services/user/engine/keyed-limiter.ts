import { ConcurrencyLimit, hashLimits } from "../../../password/index.ts";

/**
 * Concurrency limit per account. A few attempts on an account run at the same time; further ones wait.
 *
 * Each attempt sees the failures of those before it, so parallel guesses gain little over sequential ones. Attempts on one
 * account do not delay other accounts.
 */
export class KeyedLimiter {
  readonly #limits = new Map<string, ConcurrencyLimit>();

  /** Number of accounts with running or waiting attempts. Only these use memory. */
  get size(): number {
    return this.#limits.size;
  }

  /**
   * Runs a task within the limit of an account.
   *
   * @throws E_PASSWORD_BUSY if too many tasks of this account are waiting; the reason of the signal if it aborts
   */
  async run<T>(account: string, task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const limit = this.#limits.get(account) ?? new ConcurrencyLimit(hashLimits);
    this.#limits.set(account, limit);
    try {
      return await limit.run(task, signal);
    } finally {
      const { running, waiting } = limit.counts;
      if (running + waiting === 0) this.#limits.delete(account);
    }
  }
}
