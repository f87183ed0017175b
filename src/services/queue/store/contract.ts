import type { CancellableOptions, ContextOptions, Service } from "../../../core/index.ts";
import type { StartPeriodicTask } from "../../../time/index.ts";
import type { FinalStatus, JobQuery, JobRecord, JobStatus, Priority } from "../contract.ts";

/** Storage of a queue's jobs and of their leases. Everything else is built on it once, for all stores. */
export interface QueueStore {
  /** Name of the implementation: `sql`. */
  readonly implementation: string;
  /** Returns the services that must be started before the store is used. */
  dependencies(): readonly Service.Service[];
  /**
   * Adds jobs, all or none, in this order, as part of the current transaction. Returns their IDs: for a `unique_key` that a
   * pending or running job uses, the ID of that job.
   */
  insert(jobs: readonly NewJob[], options: ContextOptions): Promise<readonly string[]>;
  /** Calls back when the current transaction is committed; immediately if there is none. */
  afterCommit(callback: () => void): void;
  findOpt(id: string, options: ContextOptions): Promise<JobRecord | undefined>;
  search(query: JobQuery, options: ContextOptions): Promise<readonly [readonly JobRecord[], number]>;
  counts(options: ContextOptions): Promise<Readonly<Record<JobStatus, number>>>;
  /** See `Queue.cancel`. */
  cancel(id: string, options: ContextOptions): Promise<boolean>;
  /** See `Queue.requeue`. */
  requeue(id: string, options: ContextOptions): Promise<boolean>;
  /** Deletes jobs in these statuses that finished at or before a time. */
  purge(statuses: readonly FinalStatus[], before: Date, options: CancellableOptions): Promise<number>;
  /** Starts the deletion of old jobs. Default: a timer of the queue. A store in a database has `registerExpiry`. */
  readonly startPeriodicTask?: StartPeriodicTask;
  /** Deletes all jobs. Absent if the cleaner of another service does so. */
  clean?(options: ContextOptions): Promise<void>;
  /** Returns the due pending jobs, grouped by name. */
  waiting(options: ContextOptions): Promise<readonly WaitingJobs[]>;
  /** Returns the time at which the next pending job of these names is due, which may be in the past. */
  nextDue(names: readonly string[]): Promise<Date | undefined>;
  /** Claims due jobs by priority and due time, for one worker. They are `running`; `attempts` includes this attempt. */
  claim(request: ClaimRequest): Promise<readonly ClaimedJob[]>;
  /** Extends leases and returns the ones that are still held. */
  renewLeases(leases: readonly Lease[], until: Date): Promise<ReadonlySet<Lease>>;
  /** Records the outcomes of attempts and returns the ones whose lease was still held. The others change nothing. */
  recordOutcomes(outcomes: readonly JobOutcome[]): Promise<ReadonlySet<JobOutcome>>;
  /** Ends attempts of these jobs whose lease has expired: the job is pending again, or has failed after its last attempt. */
  reclaim(names: readonly string[], error: string): Promise<ReclaimedJobs>;
}

/** Job to insert. */
export interface NewJob extends Pick<
  JobRecord,
  "id" | "name" | "input" | "priority" | "max_attempts" | "next_run_at" | "tag" | "ctx" | "created_at"
> {
  /** At most one job of a key is pending or running. At most 64 characters. */
  readonly unique_key: string | undefined;
  readonly log_fields: LogFields;
}

/** Log fields of the dispatch, which are stored with the job. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** Request of a worker for due jobs. */
export interface ClaimRequest {
  readonly names: readonly string[];
  readonly limit: number;
  /** UUID of the new lease, never used before. One claim gives all its jobs the same. */
  readonly lease_id: string;
  /** End of the lease, unless `renewLeases` extends it. */
  readonly leased_until: Date;
}

/** Exclusive right of a worker to run a job. */
export interface Lease {
  readonly job_id: string;
  readonly lease_id: string;
}

/** Claimed job with its lease. */
export interface ClaimedJob {
  readonly job: JobRecord;
  readonly lease_id: string;
  readonly log_fields: LogFields;
}

/** Outcome of an attempt. `released` undoes the attempt: the job is as if it had not started. */
export type JobOutcome = Lease &
  (
    | { readonly outcome: "succeeded" }
    | { readonly outcome: "released" }
    | { readonly outcome: "failed"; readonly error: string }
    | { readonly outcome: "retried"; readonly error: string; readonly next_run_at: Date }
  );

/** Jobs whose lease had expired. A store may return them in batches, over several calls. */
export interface ReclaimedJobs {
  /** Number of jobs that are pending again. */
  readonly freed: number;
  /** Jobs that have failed because it was their last attempt. */
  readonly failed: readonly ClaimedJob[];
}

/** Due jobs of one name that no worker has claimed. */
export interface WaitingJobs {
  readonly name: string;
  readonly count: number;
  readonly oldest_due_at: Date;
}

/** All priorities, most urgent first. */
export const priorities: readonly Priority[] = ["high", "normal", "low"];

/** All statuses of a job. */
export const jobStatuses: readonly JobStatus[] = ["pending", "running", "succeeded", "failed", "cancelled"];

/** Statuses of a finished job. */
export const finalStatuses: readonly FinalStatus[] = ["succeeded", "failed", "cancelled"];

/** Returns the public fields of a stored job. */
export function toJobRecord(stored: JobRecord): JobRecord {
  return {
    id: stored.id,
    name: stored.name,
    input: stored.input,
    status: stored.status,
    priority: stored.priority,
    attempts: stored.attempts,
    max_attempts: stored.max_attempts,
    next_run_at: stored.next_run_at,
    last_error: stored.last_error,
    last_error_at: stored.last_error_at,
    tag: stored.tag,
    ctx: stored.ctx,
    started_at: stored.started_at,
    leased_until: stored.leased_until,
    finished_at: stored.finished_at,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
  };
}
