import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { CancellableOptions, Context, ContextOptions, Result, Service } from "../../core/index.ts";

/** Priority of a job. Due jobs of a higher priority start first; within a priority, in the order of their due times. */
export type Priority = "high" | "normal" | "low";

/**
 * Status of a job. A pending job waits for its time or for a free worker, a failed one has used its last attempt.
 * `requeue` sets every status but `running` back to `pending`.
 */
export type JobStatus = "pending" | "running" | "succeeded" | "failed" | "cancelled";

/** Status of a finished job. */
export type FinalStatus = "succeeded" | "failed" | "cancelled";

/**
 * Definition of a background job. Delivery is at least once: an attempt whose process dies runs again, so `handle` must be
 * idempotent. `Input` is the type that is dispatched, `Handled` the type that the schema makes of it.
 */
export interface JobDefinition<Input = unknown, Handled = Input> {
  /** Unique name within the application, such as `invoice.send`: at most 128 characters. Stored, so never change it. */
  readonly name: string;
  /**
   * Schema of the input: a `Schema.record` or any other Standard Schema. It validates the JSON form of the input when the
   * job is dispatched and again before it is handled. Without it, any JSON value nested at most 100 deep is accepted.
   */
  readonly input?: StandardSchemaV1<Input, Handled>;
  /** Does the work. A throw fails the attempt, and the job is retried; an error result fails the job at once. */
  handle(input: Handled, call: JobCall): Promise<HandlerResult> | HandlerResult;
  /** Called when the job has failed permanently, in the process that detected the failure. Errors it throws are logged. */
  failed?(failure: JobFailure): Promise<void> | void;
  /** Number of attempts before the job fails. Default 5. */
  readonly maxAttempts?: number;
  /**
   * Delay before the first retry, in milliseconds. It doubles with each retry, up to a day, plus up to a quarter of random
   * jitter, so that jobs that failed together are not retried together. Default 1 minute.
   */
  readonly retryDelayMs?: number;
  /** Maximum duration of an attempt, in milliseconds. Then its signal is aborted and it fails. Default: no limit. */
  readonly timeoutMs?: number;
  /** Default priority of the job's dispatches. Default `normal`. */
  readonly priority?: Priority;
  /** Default tag of the job's dispatches, to search jobs by: at most 128 characters. */
  readonly tag?: string;
  /** Returns the unique key of an input. A further dispatch returns the ID of the pending or running job of the key. */
  unique?(input: Input): string;
}

/** Result of `handle`. */
export type HandlerResult = Result<unknown, unknown> | undefined | void;

/** Second argument of `handle`. */
export interface JobCall {
  /** Context of the dispatch. */
  readonly ctx: Context;
  /**
   * Aborted when the result is no longer of use: after the timeout, when the job was cancelled or taken over by another
   * process, and when this process shuts down and cannot wait longer.
   */
  readonly signal: AbortSignal;
  /** Job that runs; `attempts` includes this attempt. */
  readonly job: JobRecord;
}

/** Argument of `failed`: a job that has failed permanently. */
export interface JobFailure {
  /** Error of the last attempt. `E_QUEUE_LOST` if its process died. */
  readonly error: unknown;
  readonly ctx: Context;
  readonly job: JobRecord;
}

/** Dispatched job. */
export interface JobRecord {
  /** UUID v4. */
  readonly id: string;
  /** Name of the job definition. */
  readonly name: string;
  /** Input as JSON; empty for a job without input. */
  readonly input: string;
  readonly status: JobStatus;
  readonly priority: Priority;
  /** Number of attempts that have started. */
  readonly attempts: number;
  readonly max_attempts: number;
  /** Time before which the job does not start. */
  readonly next_run_at: Date;
  /** Error of the last failed attempt, at most 4,000 characters. */
  readonly last_error: string | undefined;
  readonly last_error_at: Date | undefined;
  readonly tag: string | undefined;
  /** Context of the dispatch. */
  readonly ctx: Context;
  /** Start of the last attempt. */
  readonly started_at: Date | undefined;
  /** Time from which another process may take over a running job, unless its worker renews the lease before. */
  readonly leased_until: Date | undefined;
  /** Time at which the job succeeded, failed permanently or was cancelled. */
  readonly finished_at: Date | undefined;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Options of `Queue.dispatch`. */
export interface DispatchOptions extends ContextOptions {
  /** Delay before the job starts, in milliseconds: at most a hundred years. */
  readonly delayMs?: number;
  /** Time at which the job starts, instead of `delayMs`. A time in the past means now. */
  readonly at?: Date;
  /** Overrides the priority of the definition. */
  readonly priority?: Priority;
  /** Overrides the tag of the definition. */
  readonly tag?: string;
}

/** Input and options of a dispatch; both are optional for a job without input. */
export type DispatchArguments<Input> = undefined extends Input
  ? readonly [input?: Input, options?: DispatchOptions]
  : readonly [input: Input, options?: DispatchOptions];

/** Filter, order and page of `Queue.search`. */
export interface JobQuery {
  /** Order by the time of the dispatch. Default `desc`: newest first. */
  readonly sort?: "asc" | "desc" | undefined;
  /** Text that the name or the tag must contain, ignoring ASCII case. Empty means no filter. */
  readonly filter?: string | undefined;
  /** Maximum number of jobs. Default 50. */
  readonly limit?: number | undefined;
  /** Number of jobs to skip. Default 0. */
  readonly offset?: number | undefined;
  readonly status?: JobStatus | undefined;
  /** Exact name of a job definition. */
  readonly name?: string | undefined;
  /** Exact tag. */
  readonly tag?: string | undefined;
}

/** Options of `Queue.purge`. */
export interface PurgeOptions extends CancellableOptions {
  /** Minimum time since the job finished, in milliseconds. Default 0: all finished jobs. */
  readonly olderThanMs?: number;
  /** Statuses to delete. Default: all three. */
  readonly statuses?: readonly FinalStatus[];
}

/** Job queue. The `ctx` of an operation selects the pool of the store; a dispatch stores it with the job as well. */
export interface Queue extends Service.Service {
  /**
   * Registers job definitions, so that this process can run them. Registering the same definition again has no effect.
   * Jobs whose definition is registered nowhere stay pending.
   *
   * @throws E_QUEUE_JOB_TAKEN if another definition has the name, E_QUEUE_JOB for an invalid definition.
   */
  register(...definitions: readonly JobDefinition[]): void;
  /**
   * Dispatches a job and returns its ID. For a `unique` job that is already pending or running, returns the ID of that job.
   * Inside a transaction of the queue's database, the job exists once the transaction is committed.
   *
   * The request ID and the other log fields are stored with the job, as is `ctx`.
   *
   * @throws E_QUEUE_INPUT (422) for an input that the schema rejects or JSON cannot represent, E_QUEUE_JOB.
   */
  dispatch<Input>(
    definition: JobDefinition<Input, unknown>,
    ...rest: DispatchArguments<NoInfer<Input>>
  ): Promise<string>;
  /**
   * Dispatches one job per input, all or none. The jobs start in the order of the inputs. Returns their IDs in this order.
   *
   * @throws E_QUEUE_INPUT (422), E_QUEUE_JOB
   */
  dispatchAll<Input>(
    definition: JobDefinition<Input, unknown>,
    inputs: readonly NoInfer<Input>[],
    options?: DispatchOptions,
  ): Promise<readonly string[]>;
  /** Returns a job. @throws E_QUEUE_JOB_UNKNOWN (404) if the job does not exist or was deleted. */
  find(id: string, options?: ContextOptions): Promise<JobRecord>;
  /** Returns a job, or `undefined` if it does not exist or was deleted. */
  findOpt(id: string, options?: ContextOptions): Promise<JobRecord | undefined>;
  /** Returns a page of jobs and the number of all matches. @throws E_QUEUE_QUERY (400) for an invalid query. */
  search(query?: JobQuery, options?: ContextOptions): Promise<readonly [jobs: readonly JobRecord[], total: number]>;
  /** Returns the number of jobs in each status. */
  counts(options?: ContextOptions): Promise<Readonly<Record<JobStatus, number>>>;
  /**
   * Cancels a pending or running job. The signal of a running one is aborted, within 10 s if it runs in another process,
   * and its result is discarded. Returns false if the job does not exist or has finished.
   */
  cancel(id: string, options?: ContextOptions): Promise<boolean>;
  /**
   * Makes a finished or pending job due now, with all its attempts left. Returns false if the job does not exist, is
   * running, or its `unique` key is in use.
   */
  requeue(id: string, options?: ContextOptions): Promise<boolean>;
  /** Deletes finished jobs and returns their number. */
  purge(options?: PurgeOptions): Promise<number>;
  /**
   * Runs all due jobs in this process, one after the other, including those they dispatch for now. Returns their records
   * afterwards. Works whether or not this process has a worker: for tests and scripts.
   *
   * @example
   * await queue.dispatch(welcome, { user: user.id });
   * await queue.runDue();
   * assert.equal(email.inbox.all().length, 1);
   */
  runDue(options?: ContextOptions): Promise<readonly JobRecord[]>;
}
