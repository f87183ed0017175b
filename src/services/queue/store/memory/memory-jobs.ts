import { Time } from "../../../../time/index.ts";
import type { FinalStatus, JobRecord, Priority } from "../../contract.ts";
import { type NewJob, priorities } from "../contract.ts";

/** Job as the memory store holds it. */
export interface MemoryJob extends JobRecord, NewJob {
  readonly lease_id: string | undefined;
  /** Sequence number: orders jobs that are due at the same time. */
  readonly position: number;
}

/** Fields of a job without a lease. */
const unleased: Pick<MemoryJob, "lease_id" | "leased_until"> = { lease_id: undefined, leased_until: undefined };

/** Initial fields of a new job. */
const initialFields: Omit<MemoryJob, keyof NewJob | "updated_at" | "position"> = {
  ...unleased,
  status: "pending",
  attempts: 0,
  last_error: undefined,
  last_error_at: undefined,
  started_at: undefined,
  finished_at: undefined,
};

/** Pending jobs in the order in which they start: by due time, then by position. */
class PendingList {
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

/** Jobs in memory by ID, with the pending ones in order and the active ones by unique key. */
export class MemoryJobs {
  readonly pending: Readonly<Record<Priority, PendingList>> = {
    high: new PendingList(),
    normal: new PendingList(),
    low: new PendingList(),
  };
  readonly #jobs = new Map<string, MemoryJob>();
  readonly #activeIds = new Map<string, string>();
  #lastPosition = 0;

  get(id: string): MemoryJob | undefined {
    return this.#jobs.get(id);
  }

  all(): IterableIterator<MemoryJob> {
    return this.#jobs.values();
  }

  filter(predicate: (job: MemoryJob) => boolean): MemoryJob[] {
    return [...this.#jobs.values()].filter(predicate);
  }

  /** Returns the ID of the pending or running job that has the unique key of a job. */
  activeIdOf({ unique_key }: NewJob): string | undefined {
    return unique_key === undefined ? undefined : this.#activeIds.get(unique_key);
  }

  add(job: NewJob): void {
    this.#save({ ...initialFields, ...job, updated_at: job.created_at, position: ++this.#lastPosition });
  }

  update(job: MemoryJob, changes: Partial<MemoryJob>): MemoryJob {
    return this.#save({ ...job, ...changes, updated_at: Time.now() });
  }

  makePending(job: MemoryJob, changes: Partial<MemoryJob>): MemoryJob {
    return this.update(job, { ...unleased, status: "pending", finished_at: undefined, ...changes });
  }

  /** Makes a job pending, behind all others that are due at the same time. */
  reschedule(job: MemoryJob, time: Date, changes: Partial<MemoryJob>): MemoryJob {
    return this.makePending(job, { next_run_at: time, position: ++this.#lastPosition, ...changes });
  }

  finish(job: MemoryJob, status: FinalStatus, changes: Partial<MemoryJob> = {}): MemoryJob {
    return this.update(job, { ...unleased, status, finished_at: Time.now(), ...changes });
  }

  delete(id: string): void {
    this.#jobs.delete(id);
  }

  clear(): void {
    this.#jobs.clear();
    this.#activeIds.clear();
    for (const priority of priorities) this.pending[priority].clear();
  }

  #save(job: MemoryJob): MemoryJob {
    const { id, status, priority, unique_key } = job;
    const previous = this.#jobs.get(id);
    if (previous?.status === "pending") this.pending[previous.priority].remove(previous);
    if (status === "pending") this.pending[priority].add(job);
    if (unique_key !== undefined) {
      if (status === "pending" || status === "running") this.#activeIds.set(unique_key, id);
      else if (this.#activeIds.get(unique_key) === id) this.#activeIds.delete(unique_key);
    }
    this.#jobs.set(id, job);
    return job;
  }
}
