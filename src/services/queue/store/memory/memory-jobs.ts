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

/** True if a pending job starts after another: it is due later, or at the same time and has a later position. */
function startsAfter(job: MemoryJob, other: MemoryJob): boolean {
  const differenceMs = job.next_run_at.getTime() - other.next_run_at.getTime();
  return differenceMs > 0 || (differenceMs === 0 && job.position > other.position);
}

/** Jobs in memory by ID, with the pending ones in order and the active ones by unique key. */
export class MemoryJobs {
  /** Pending jobs in the order in which they start. */
  readonly pending: Readonly<Record<Priority, MemoryJob[]>> = { high: [], normal: [], low: [] };
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
    for (const priority of priorities) this.pending[priority].length = 0;
  }

  #save(job: MemoryJob): MemoryJob {
    const { id, status, priority, unique_key } = job;
    const pending = this.pending[priority];
    const previous = this.#jobs.get(id);
    if (previous?.status === "pending") pending.splice(pending.indexOf(previous), 1);
    // Most jobs belong at the end, so the search starts there.
    if (status === "pending") pending.splice(pending.findLastIndex((other) => startsAfter(job, other)) + 1, 0, job);
    if (unique_key !== undefined) {
      if (status === "pending" || status === "running") this.#activeIds.set(unique_key, id);
      else if (this.#activeIds.get(unique_key) === id) this.#activeIds.delete(unique_key);
    }
    this.#jobs.set(id, job);
    return job;
  }
}
