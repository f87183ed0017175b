import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import { leaseTime } from "./hands.ts";
import type { Claim, Claimed, Store } from "./store.ts";

// As many jobs are claimed ahead as were begun in this time at last: enough to spare most statements, and gone at once.
const aheadTime = 50;
// A shorter time than this would take the first jobs, which all begin at once, for quick ones.
const shortestCount = 10;
const mostAhead = 500;

/**
 * The jobs that a worker has claimed and not begun. Where jobs are quick, some are claimed ahead, so that a statement
 * serves many; where they are slow, none are.
 */
export class Supply {
  readonly #store: Store;
  #waiting: Claimed[] = [];
  #since = 0;
  #ahead = 0;
  #given = 0;
  #countedSince = Time.monotonic();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Claims what can be begun now and what is worth having ahead; gives how many came, and whether there may be more. */
  async claim(names: readonly string[], free: number): Promise<{ readonly count: number; readonly isMore: boolean }> {
    this.#count();
    const limit = free + this.#ahead;
    // What is given up meanwhile leaves another list behind: the one of now takes what came.
    const claimed = await this.#store.claim(claimOf(names, limit));
    this.#waiting.push(...claimed);
    this.#since = Time.monotonic();
    return { count: this.#waiting.length, isMore: this.#waiting.length === limit };
  }

  #count(): void {
    const time = Time.monotonic() - this.#countedSince;
    if (time < shortestCount) return;
    this.#ahead = Math.min(mostAhead, Math.floor((this.#given * aheadTime) / time));
    this.#given = 0;
    this.#countedSince += time;
  }

  /** The next job to begin. */
  next(): Claimed | undefined {
    const claimed = this.#waiting.shift();
    if (claimed !== undefined) this.#given += 1;
    return claimed;
  }

  /** How many jobs wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Milliseconds since the jobs were claimed that still wait; 0 when none do. */
  get waited(): number {
    return this.#waiting.length === 0 ? 0 : Time.monotonic() - this.#since;
  }

  /** Gives up what waits, and gives it. */
  empty(): readonly Claimed[] {
    return this.#waiting.splice(0);
  }

  /** Gives up the claims on a job, and gives them. */
  forget(id: string): readonly Claimed[] {
    const forgotten = this.#waiting.filter(({ instance }) => instance.id === id);
    this.#waiting = this.#waiting.filter((claimed) => !forgotten.includes(claimed));
    return forgotten;
  }
}

/** What a worker claims. */
export const claimOf = (names: readonly string[], limit: number): Claim => ({
  names,
  limit,
  lease: Random.uuid(),
  until: new Date(Time.timestamp() + leaseTime),
});
