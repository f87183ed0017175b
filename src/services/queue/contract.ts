import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context, ContextOptions, Result, Service } from "../../core/index.ts";

/**
 * How urgent a job is. All due jobs of a higher priority begin before those of a lower one; within a priority they begin
 * in the order in which they fell due.
 */
export type Priority = "high" | "normal" | "low";

/**
 * Where an instance stands: waiting for its time or a free worker, at work, done, given up after its last try, or called
 * off. `requeue` leads back to `pending` from all but `running`.
 */
export type Status = "pending" | "running" | "succeeded" | "failed" | "cancelled";

/** The statuses that an instance ends with. */
export type EndStatus = "succeeded" | "failed" | "cancelled";

/**
 * A kind of work that is done outside of requests. It is at least once: a try whose process dies runs again, so that
 * `handle` must bear being run twice with the same input. `Input` is what is dispatched, `Handled` what the schema makes
 * of it.
 */
export interface Job<Input = unknown, Handled = Input> {
  /** What it is called, unique in the application, such as `invoice.send`: at most 128 characters. Never changed. */
  readonly name: string;
  /**
   * What an input looks like: a `Schema.record` or any other Standard Schema. It is asked when the job is dispatched and
   * again before it is handled, both times for the input as JSON holds it. Without it any JSON value will do that is
   * nested at most 100 deep.
   */
  readonly input?: StandardSchemaV1<Input, Handled>;
  /**
   * Does the work. A throw is a failed try, and the job is tried again later. A result that holds an error says that
   * trying again is in vain: the job fails at once.
   */
  handle(input: Handled, run: Run): Promise<Outcome> | Outcome;
  /** Called when the job has failed for good, in the process that saw it fail. What it throws is logged. */
  failed?(failure: Failure): Promise<void> | void;
  /** How often it is tried before it has failed. Default 5. */
  readonly maxTries?: number;
  /**
   * How long the first retry waits, in milliseconds. Each further one waits twice as long, at most a day, and up to a
   * quarter longer at random, so that what failed together is not tried together. Default 1 minute.
   */
  readonly retryDelay?: number;
  /** How long a try may take, in milliseconds; then its signal is aborted and it has failed. Default: as long as it likes. */
  readonly timeout?: number;
  /** Default `normal`. A dispatch may say otherwise. */
  readonly priority?: Priority;
  /** A word to find instances by, at most 128 characters. A dispatch may say otherwise. */
  readonly tag?: string;
  /**
   * The key of an input, such as an account's id: of one key at most one instance is pending or running. Another dispatch
   * gives the id of that one.
   */
  unique?(input: Input): string;
}

/** What `handle` may give. */
export type Outcome = Result<unknown, unknown> | undefined | void;

/** What `handle` is given beside the input. */
export interface Run {
  /** The context of the dispatch. */
  readonly ctx: Context;
  /**
   * Aborted when the result is no longer of use: the time-out has passed, the job was cancelled, another process has
   * taken it over, or this process ends and cannot wait longer.
   */
  readonly signal: AbortSignal;
  /** What is known of the job; `tries` counts this one. */
  readonly instance: Instance;
}

/** A job that has failed for good. */
export interface Failure {
  /** What was thrown or given at the last try. E_QUEUE_LOST when its process died. */
  readonly error: unknown;
  readonly ctx: Context;
  readonly instance: Instance;
}

/** A job that was dispatched. */
export interface Instance {
  /** UUID v4. */
  readonly id: string;
  /** The name of the job. */
  readonly name: string;
  /** The input as JSON; empty when the job takes none. */
  readonly input: string;
  readonly status: Status;
  readonly priority: Priority;
  /** How often it was begun. */
  readonly tries: number;
  readonly max_tries: number;
  /** The time before which it does not begin. */
  readonly next_run_at: Date;
  /** What the last failed try said, at most 4,000 characters. */
  readonly last_error: string | undefined;
  readonly last_error_at: Date | undefined;
  readonly tag: string | undefined;
  /** The context of the dispatch. */
  readonly ctx: Context;
  /** When the last try began. */
  readonly started_at: Date | undefined;
  /** While it runs: when another process may take it over, unless the worker says before that it lives. */
  readonly leased_until: Date | undefined;
  /** When it succeeded, failed for good or was cancelled. */
  readonly finished_at: Date | undefined;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** How a job is dispatched. */
export interface DispatchOptions extends ContextOptions {
  /** How long it waits before it begins, in milliseconds: at most a hundred years. */
  readonly delay?: number;
  /** When it begins, instead of `delay`. A time that has passed means now. */
  readonly at?: Date;
  /** Instead of the job's. */
  readonly priority?: Priority;
  /** Instead of the job's. */
  readonly tag?: string;
}

/** The input and the options; a job without input may be dispatched without both. */
export type DispatchArguments<Input> = undefined extends Input
  ? readonly [input?: Input, options?: DispatchOptions]
  : readonly [input: Input, options?: DispatchOptions];

/** What is looked for among the instances. */
export interface InstanceQuery {
  /** By the time of the dispatch. Default `desc`: newest first. */
  readonly sort?: "asc" | "desc" | undefined;
  /** A text that the name or the tag must contain, ignoring ASCII case. Empty means none. */
  readonly filter?: string | undefined;
  /** How many at most. Default 50. */
  readonly limit?: number | undefined;
  /** How many are skipped. Default 0. */
  readonly offset?: number | undefined;
  readonly status?: Status | undefined;
  /** The exact name of a job. */
  readonly name?: string | undefined;
  /** The exact tag. */
  readonly tag?: string | undefined;
}

/** What is purged. */
export interface PurgeOptions extends ContextOptions {
  /** How long ago it must have ended, in milliseconds. Default 0: whatever has ended. */
  readonly olderThan?: number;
  /** Default: all three. */
  readonly statuses?: readonly EndStatus[];
}

/**
 * A queue. Its operations pass their `ctx` to the store, which is how a pool is chosen; of a dispatch the `ctx` also
 * travels with the job.
 */
export interface Queue extends Service.Service {
  /**
   * Makes jobs known, so that this process can work them: services bring theirs. The same job again changes nothing.
   * What is dispatched without being known anywhere stays pending until a process knows it.
   *
   * @throws E_QUEUE_JOB_TAKEN when another job has the name, E_QUEUE_JOB when one is not right.
   */
  register(...jobs: readonly Job[]): void;
  /**
   * Puts a job into the queue and gives the id of its instance: of a `unique` job that is pending or running already, the
   * id of that. Inside a transaction of the queue's database it is a part of that: the job exists once it is committed,
   * and never if it is rolled back.
   *
   * The id of the request and the other fields of the log go with the job, beside its `ctx`.
   *
   * @throws E_QUEUE_INPUT (422) for an input that the schema refuses or JSON cannot hold, E_QUEUE_JOB.
   */
  dispatch<Input>(job: Job<Input, unknown>, ...rest: DispatchArguments<NoInfer<Input>>): Promise<string>;
  /**
   * Puts a job into the queue once for each input, all or none, to begin in this order. Gives the ids in this order.
   *
   * @throws E_QUEUE_INPUT (422), E_QUEUE_JOB
   */
  dispatchAll<Input>(
    job: Job<Input, unknown>,
    inputs: readonly NoInfer<Input>[],
    options?: DispatchOptions,
  ): Promise<readonly string[]>;
  /** The instance of an id, or `undefined` when there is none (any more). */
  find(id: string, options?: ContextOptions): Promise<Instance | undefined>;
  /**
   * A page of instances and the number of all that match.
   *
   * @throws E_QUEUE_QUERY (400) for a limit, offset, status or text that is not allowed.
   */
  search(
    query?: InstanceQuery,
    options?: ContextOptions,
  ): Promise<readonly [instances: readonly Instance[], total: number]>;
  /** How many instances there are in each status. */
  counts(options?: ContextOptions): Promise<Readonly<Record<Status, number>>>;
  /**
   * Calls a pending or running instance off. The signal of a running one is aborted, within 10 s in another process, and
   * its result no longer counts. False when there is none, or it has ended.
   */
  cancel(id: string, options?: ContextOptions): Promise<boolean>;
  /**
   * Lets an instance begin now, with all its tries before it: one that has ended, or one that waits for its time. False
   * when there is none, it is running, or its `unique` key is in use.
   */
  requeue(id: string, options?: ContextOptions): Promise<boolean>;
  /** Deletes instances that have ended, and gives how many. */
  purge(options?: PurgeOptions): Promise<number>;
  /**
   * Works all that is due now here, one after the other, what they dispatch for now included, and gives the instances as
   * they then stand. Independent of whether this process works jobs by itself: for tests, and for scripts.
   *
   * @example
   * await queue.dispatch(welcome, { user: user.id });
   * await queue.runDue();
   * assert.equal(email.inbox.all().length, 1);
   */
  runDue(options?: ContextOptions): Promise<readonly Instance[]>;
}
