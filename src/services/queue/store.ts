import type { ContextOptions, Service } from "../../core/index.ts";
import type { EndStatus, Instance, InstanceQuery, Priority, Status } from "./contract.ts";

/**
 * Where a queue keeps its instances, and who works them. Everything else (jobs, workers, retries, commands) is built on
 * it once, for all stores.
 */
export interface Store {
  /** The name of the implementation: `sql`. */
  readonly implementation: string;
  /** The services that must be started before it. */
  dependencies(): readonly Service.Service[];
  /**
   * Adds instances, all or none, in this order, as a part of a transaction around. Gives their ids: for a `unique_key`
   * that is in use by a pending or running one, the id of that.
   */
  insert(instances: readonly NewInstance[], options: ContextOptions): Promise<readonly string[]>;
  /** Calls back when the transaction around is committed; at once when there is none. */
  afterCommit(callback: () => void): void;
  find(id: string, options: ContextOptions): Promise<Instance | undefined>;
  search(query: InstanceQuery, options: ContextOptions): Promise<readonly [readonly Instance[], number]>;
  counts(options: ContextOptions): Promise<Readonly<Record<Status, number>>>;
  /** See `Queue.cancel`. */
  cancel(id: string, options: ContextOptions): Promise<boolean>;
  /** See `Queue.requeue`. */
  requeue(id: string, options: ContextOptions): Promise<boolean>;
  /** Deletes instances in these statuses that ended before a time. */
  purge(statuses: readonly EndStatus[], before: Date, options: ContextOptions): Promise<number>;
  /** Deletes all instances. Absent where the cleaner of another service does. */
  clean?(options: ContextOptions): Promise<void>;
  /** What is due and waits, by name of the job. */
  waiting(options: ContextOptions): Promise<readonly Waiting[]>;
  /** When the next pending instance of these jobs is due, which may have passed; `undefined` when there is none. */
  nextDue(names: readonly string[]): Promise<Date | undefined>;
  /**
   * Takes due instances of these jobs, most urgent first, for a worker: no other gets them. They are running then, and
   * their `tries` count the try that begins.
   */
  claim(claim: Claim): Promise<readonly Claimed[]>;
  /** Extends leases, and gives those of the given ones that are still held. */
  renew(held: readonly Held[], until: Date): Promise<ReadonlySet<Held>>;
  /** Ends tries, and gives those of the given ones that were still held; the others stay as they are. */
  settle(settlements: readonly Settlement[]): Promise<ReadonlySet<Settlement>>;
  /**
   * Ends tries of these jobs whose lease has run out: they are pending again, or have failed when it was the last one.
   * Gives how many are pending, and those that have failed; where there are many, some, and the others at the next call.
   */
  reclaim(
    names: readonly string[],
    error: string,
  ): Promise<{ readonly freed: number; readonly failed: readonly Claimed[] }>;
}

/** Where a queue gets its store from, once it needs it. */
export interface StoreSource {
  /** See `Store`. */
  readonly implementation: string;
  /** See `Store`. */
  readonly dependencies: () => readonly Service.Service[];
  /** Called once at most. */
  readonly open: () => Promise<Store>;
}

/** An instance that is about to be added. */
export interface NewInstance extends Pick<
  Instance,
  "id" | "name" | "input" | "priority" | "max_tries" | "next_run_at" | "tag" | "ctx" | "created_at"
> {
  /** Of those that are equal at most one instance is pending or running. At most 64 characters. */
  readonly unique_key: string | undefined;
  /** The fields of the log that go with it. */
  readonly log_fields: LogFields;
}

/** The fields of the log that go with a job. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** What a worker asks for. */
export interface Claim {
  readonly names: readonly string[];
  readonly limit: number;
  /** A UUID, never used before. */
  readonly lease: string;
  /** Until when nobody else may have them, unless `renew` extends it. */
  readonly until: Date;
}

/** An instance in the hands of a worker. */
export interface Held {
  readonly id: string;
  readonly lease: string;
}

/** An instance, with what its worker needs beside. */
export interface Claimed {
  readonly instance: Instance;
  readonly lease: string;
  readonly log_fields: LogFields;
}

/** What became of a try. `released` means that it does not count: the instance is as if it had not begun. */
export type Settlement = Held &
  (
    | { readonly to: "succeeded" }
    | { readonly to: "released" }
    | { readonly to: "failed"; readonly error: string }
    | { readonly to: "pending"; readonly error: string; readonly at: Date }
  );

/** Due instances of a job that nobody works yet. */
export interface Waiting {
  readonly name: string;
  readonly count: number;
  /** Since when the oldest is due. */
  readonly since: Date;
}

/** The priorities, most urgent first. */
export const priorities: readonly Priority[] = ["high", "normal", "low"];

/** The statuses that an instance can have. */
export const statuses: readonly Status[] = ["pending", "running", "succeeded", "failed", "cancelled"];

/** Those that an instance ends with. */
export const endStatuses: readonly EndStatus[] = ["succeeded", "failed", "cancelled"];
