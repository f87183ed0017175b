import type { ContextOptions } from "../../../core/index.ts";
import type { RunRecord, Schedule } from "../contract.ts";

const minLeaseMs = 5000;
const maxLeaseMs = 30_000;

/**
 * Returns the duration of a lease that is not renewed, in milliseconds: the time from a slot to the next one, so that the
 * run of a killed process delays a frequent schedule by few slots, from 5 to 30 s.
 */
export function leaseMsOf({ next }: Schedule, slot: Date): number {
  const gapMs = (next(slot)?.getTime() ?? Infinity) - slot.getTime();
  return Math.min(maxLeaseMs, Math.max(minLeaseMs, gapMs));
}

/** Largest expected difference of two clocks, in ms. A stored lease that ends further ahead counts as expired. */
export const maxClockSkewMs = 300_000;

/**
 * Returns the earliest previous slot that a slot continues. After an earlier slot, or none, a sequence of runs begins: the
 * process was down, or its clock was set forward, so that slots in between may run when the clock is set back.
 */
export function continuedSlot({ latest }: Schedule, slot: Date): Date {
  return latest(new Date(slot.getTime() - maxClockSkewMs)) ?? slot;
}

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
  /** Duration of the lease after its acquisition and after each renewal, in milliseconds. */
  readonly durationMs: number;
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
   *
   * A slot was claimed if a run of it is recorded, or if it lies within the last uninterrupted sequence of claimed slots.
   */
  claim(schedule: Schedule, slot: Date | null, options: ContextOptions): Promise<RunLease | undefined>;
  /** Extends a lease by its duration from now. Returns false if it is lost, because it was not renewed in time. */
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
