import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { ClaimedJob, ClaimRequest, QueueStore } from "../store/contract.ts";
import { leaseMs } from "./in-flight-jobs.ts";

// The buffer holds as many jobs as recently started in this time: so they all start within about 50 ms.
const prefetchWindowMs = 50;
// A shorter measurement would mistake the first jobs, which all start together, for quick ones.
const minMeasurementMs = 10;
const maxPrefetch = 500;

/** Jobs that a worker has claimed and not started. Quick jobs are claimed ahead, so that one statement serves many. */
export class PrefetchBuffer {
  readonly #store: QueueStore;
  #jobs: ClaimedJob[] = [];
  #claimedAt = 0;
  #prefetchCount = 0;
  #startedCount = 0;
  #measuredAt = Time.monotonic();

  constructor(store: QueueStore) {
    this.#store = store;
  }

  /** Claims jobs for the free slots and for the buffer. Returns the size of the buffer, and true if more may be due. */
  async claim(
    names: readonly string[],
    freeSlots: number,
  ): Promise<{ readonly size: number; readonly hasMore: boolean }> {
    this.#measure();
    const limit = freeSlots + this.#prefetchCount;
    const claimed = await this.#store.claim(claimRequest(names, limit));
    // `remove` can replace the array during the claim, so it is read only now.
    this.#jobs.push(...claimed);
    this.#claimedAt = Time.monotonic();
    return { size: this.#jobs.length, hasMore: this.#jobs.length === limit };
  }

  #measure(): void {
    const elapsedMs = Time.monotonic() - this.#measuredAt;
    if (elapsedMs < minMeasurementMs) return;
    this.#prefetchCount = Math.min(maxPrefetch, Math.floor((this.#startedCount * prefetchWindowMs) / elapsedMs));
    this.#startedCount = 0;
    this.#measuredAt += elapsedMs;
  }

  /** Takes the next job to start. */
  next(): ClaimedJob | undefined {
    const claimed = this.#jobs.shift();
    if (claimed !== undefined) this.#startedCount += 1;
    return claimed;
  }

  /** Number of buffered jobs. */
  get size(): number {
    return this.#jobs.length;
  }

  /** Milliseconds since the last claim; 0 if the buffer is empty. */
  get ageMs(): number {
    return this.#jobs.length === 0 ? 0 : Time.monotonic() - this.#claimedAt;
  }

  /** Removes and returns all jobs. */
  clear(): readonly ClaimedJob[] {
    return this.#jobs.splice(0);
  }

  /** Removes and returns the claims of a job. */
  remove(jobId: string): readonly ClaimedJob[] {
    const removed = this.#jobs.filter(({ job }) => job.id === jobId);
    this.#jobs = this.#jobs.filter((claimed) => !removed.includes(claimed));
    return removed;
  }
}

/** Returns a claim request with a new lease. */
export const claimRequest = (names: readonly string[], limit: number): ClaimRequest => ({
  names,
  limit,
  lease_id: Random.uuid(),
  leased_until: new Date(TimeInternals.timestamp() + leaseMs),
});
