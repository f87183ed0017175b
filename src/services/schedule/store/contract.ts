import type { ContextOptions } from "../../../core/index.ts";
import type { RunRecord, Schedule } from "../contract.ts";

/** Duration of a lease that is not renewed, in milliseconds. */
export const leaseMs = 30_000;

/** Maximum number of run records per schedule. */
export const maxRunRecords = 100;

/** Exclusive right to run a schedule. No other process runs it while the lease is renewed. */
export interface RunLease {
  /** ID of the run. */
  readonly id: string;
  readonly schedule: string;
  /** `null` for a manual run. */
  readonly slot: Date | null;
  readonly started_at: Date;
}

/** Storage of the leases, the pauses and the run records of schedules. */
export interface ScheduleStore {
  /**
   * Registers a schedule. Returns the time up to which its slots are done: the last slot that ran, or the time at which the
   * schedule was added, changed its timing or was resumed, if that is later.
   */
  register(schedule: Schedule, options: ContextOptions): Promise<Date>;
  /**
   * Acquires the lease for a slot, or for a manual run if it is `null`. Returns `undefined` if the slot was claimed already,
   * another run is in progress, or the schedule is paused, which does not prevent manual runs.
   */
  claim(schedule: Schedule, slot: Date | null, options: ContextOptions): Promise<RunLease | undefined>;
  /** Extends a lease by `leaseMs` from now. Returns false if it is lost, because it was not renewed in time. */
  renewLease(lease: RunLease, options: ContextOptions): Promise<boolean>;
  /** Releases a lease and records the outcome: `error` is `null` for success. A lost lease stays lost. */
  finish(lease: RunLease, error: string | null, options: ContextOptions): Promise<void>;
  /** Returns the last runs of a schedule, latest first. */
  history(schedule: string, limit: number, options: ContextOptions): Promise<readonly RunRecord[]>;
  /** Returns the names of the paused schedules. */
  pausedNames(options: ContextOptions): Promise<ReadonlySet<string>>;
  setPaused(schedule: Schedule, isPaused: boolean, options: ContextOptions): Promise<void>;
  /** Deletes all records. Absent if the cleaner of another service does so. */
  clear?(): void;
}
