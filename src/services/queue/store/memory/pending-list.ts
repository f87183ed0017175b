import type { MemoryJob } from "./memory-job.ts";

/** Pending jobs in the order in which they start: by due time, then by position. */
export class PendingList {
  readonly #jobs: MemoryJob[] = [];

  [Symbol.iterator](): Iterator<MemoryJob> {
    return this.#jobs[Symbol.iterator]();
  }

  add(job: MemoryJob): void {
    // Most jobs belong at the end, so the search starts there.
    let index = this.#jobs.length;
    while (index > 0 && this.#isAfter(index - 1, job)) index -= 1;
    this.#jobs.splice(index, 0, job);
  }

  remove(job: MemoryJob): void {
    const index = this.#jobs.indexOf(job);
    if (index !== -1) this.#jobs.splice(index, 1);
  }

  clear(): void {
    this.#jobs.length = 0;
  }

  #isAfter(index: number, { next_run_at, position }: MemoryJob): boolean {
    const listed = this.#jobs[index];
    if (listed === undefined) return false;
    const [listedTime, time] = [listed.next_run_at.getTime(), next_run_at.getTime()];
    return listedTime > time || (listedTime === time && listed.position > position);
  }
}
