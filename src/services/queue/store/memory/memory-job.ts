import type { JobRecord } from "../../contract.ts";
import type { NewJob } from "../contract.ts";

/** Job as the memory store holds it. */
export interface MemoryJob extends JobRecord, NewJob {
  readonly lease_id: string | undefined;
  /** Sequence number: orders jobs that are due at the same time. */
  readonly position: number;
}

/** Fields of a job without a lease. */
export const unleased: Pick<MemoryJob, "lease_id" | "leased_until"> = { lease_id: undefined, leased_until: undefined };

/** Initial fields of a new job. */
export const initialFields: Omit<MemoryJob, keyof NewJob | "updated_at" | "position"> = {
  ...unleased,
  status: "pending",
  attempts: 0,
  last_error: undefined,
  last_error_at: undefined,
  started_at: undefined,
  finished_at: undefined,
};

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
