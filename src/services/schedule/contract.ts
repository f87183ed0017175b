import type { Context, ContextOptions, Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";

/**
 * What a schedule promises.
 *
 * A schedule has slots: points in time at which it is due. Of all processes that share a database, one runs a slot,
 * once. Runs of one schedule never overlap: a slot that falls due while one is still running passes without a run. When
 * nobody was there for slots (all processes were down, a computer slept, the clock was set forward), the last of them is
 * run as soon as somebody is, the others pass. A slot that was run is not run again when the clock is set back.
 *
 * A run that ends with its process is not repeated: the next slot runs. What must happen whatever happens belongs into
 * a queue; the schedule then enqueues it.
 */
export interface Schedule {
  /** What it is called in the database and by the commands, unique in the application: `reports.weekly`. */
  readonly name: string;
  /** What it does, in a sentence for people; may be empty. */
  readonly description: string;
  /** When it is due, for people: `every 5m`, `0 3 * * 1 (Europe/Zurich)`. */
  readonly timing: string;
  /** The services that must be started before it runs, and are stopped after. */
  readonly dependencies: () => readonly Service.Service[];
  readonly run: ScheduleFunction;
  /** The first slot after a point in time; `undefined` when there is none any more. */
  readonly next: (after: Date) => Date | undefined;
  /** The last slot at or before a point in time; `undefined` when there was none. */
  readonly latest: (at: Date) => Date | undefined;
}

/** Does the work of a schedule. When it throws, the run has failed; the next slot runs all the same. */
export type ScheduleFunction = (call: ScheduleCall) => unknown;

/** What a run is given. */
export interface ScheduleCall {
  /** The context of the schedule service, to be handed on to the operations that the work calls. Empty by default. */
  readonly ctx: Context;
  /**
   * Aborted when the run must end: the process is told to end, or another process may have taken over, because this one
   * could not renew its claim in the database.
   */
  readonly signal: AbortSignal;
  /** When it was due, which may be some time ago; the present moment for a run that was asked for by hand. */
  readonly slot: Date;
}

/** What is the same for all schedules. */
interface Common {
  /** Letters, digits, dots, dashes and underscores, at most 100. */
  readonly name: string;
  readonly description?: string;
  readonly dependencies?: () => readonly Service.Service[];
  readonly run: ScheduleFunction;
}

/** A schedule that is due again and again after the same time. */
export interface IntervalDefinition extends Common {
  /**
   * Milliseconds, at least 1,000: `Time.minutes(5)`. Slots are the whole multiples of it since 1970-01-01T00:00Z,
   * wherever and whenever the process was started: `Time.hours(1)` is due on the hour, `Time.days(1)` at midnight UTC.
   */
  readonly every: number;
  readonly cron?: never;
  readonly timeZone?: never;
}

/** A schedule that is due at times of the clock on the wall. */
export interface CronDefinition extends Common {
  /**
   * Minute, hour, day of month, month, day of week: `0 3 * * 1` is Mondays at three. A field of seconds may stand in
   * front. Lists, ranges, steps, names (`MON`, `JAN`), `L` (last), `W` (nearest working day), `#` (the how manieth) and
   * `@daily` and its like are known. When both days are given, one of them is enough.
   *
   * A time that is skipped when clocks go forward is due at the end of the gap; a time that comes twice when they go
   * back is due the first time only. Expressions that are due every hour follow elapsed time instead.
   */
  readonly cron: string;
  /** The name of a time zone, such as `Europe/Zurich`. Default `UTC`. */
  readonly timeZone?: string;
  readonly every?: never;
}

/** What `Schedule.make` is given, and what a service lists as its `schedules`. */
export type ScheduleDefinition = IntervalDefinition | CronDefinition;

/** `lost`: its process ended, or could not reach the database any more, before the run did. */
export type Outcome = "running" | "succeeded" | "failed" | "lost";

/** A run, as it is remembered. */
export interface Run {
  readonly id: string;
  readonly schedule: string;
  /** `null` for a run that was asked for by hand. */
  readonly slot: Date | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly outcome: Outcome;
  /** Why it failed. */
  readonly error: string | null;
}

/** How a schedule is doing. */
export interface Status {
  readonly name: string;
  readonly description: string;
  readonly timing: string;
  /** The next slots, up to three. They pass without a run while it is paused. */
  readonly next: readonly Date[];
  readonly isPaused: boolean;
  readonly last: Run | undefined;
}

/** A run that threw. */
export interface ScheduleFailure {
  readonly schedule: string;
  /** `null` for a run that was asked for by hand. */
  readonly slot: Date | null;
  readonly error: unknown;
}

/** What the schedule service can be given. */
export interface ScheduleOptions {
  /**
   * Where processes agree on who runs a slot, and what ran is remembered. Without it every process runs every slot, and
   * what ran is forgotten when it ends.
   */
  readonly database?: Database;
  /** Handed on to the runs, and to the database to choose the pool. */
  readonly ctx?: Context;
  /** Told of each run that threw, after it was logged: to send a mail, for example. */
  readonly onFailure?: (failure: ScheduleFailure) => unknown;
}

/** Which runs are asked for. */
export interface HistoryOptions extends ContextOptions {
  /** How many at most. Default 20. */
  readonly limit?: number;
}

/**
 * Runs the schedules of the application and those that its services list as `schedules`, in every process in which the
 * server is started, unless `SCHEDULE_RUN` is false.
 */
export interface ScheduleService extends Service.Service {
  /** All schedules and how they are doing, by name. */
  list(options?: ContextOptions): Promise<readonly Status[]>;
  /** The last runs of a schedule, the latest first; of each schedule the last 100 are remembered. Throws E_SCHEDULE_UNKNOWN. */
  history(name: string, options?: HistoryOptions): Promise<readonly Run[]>;
  /**
   * Runs a schedule now, in this process, paused or not, and waits for the end. Its slots stay as they are. Throws what
   * the run throws, E_SCHEDULE_UNKNOWN, and E_SCHEDULE_RUNNING when it is running already, here or elsewhere.
   */
  runNow(name: string, options?: ContextOptions & { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Lets slots pass without a run until `resume`, in all processes that share a database and also after a restart;
   * without one in this process. A run that has begun goes on. Paused twice is paused once. Throws E_SCHEDULE_UNKNOWN.
   */
  pause(name: string, options?: ContextOptions): Promise<void>;
  /** Ends a pause; the slots that passed meanwhile are not run. Throws E_SCHEDULE_UNKNOWN. */
  resume(name: string, options?: ContextOptions): Promise<void>;
}

/** A claim on a run: as long as it is renewed, no other process runs the schedule. */
export interface Claim {
  readonly id: string;
  readonly schedule: string;
  /** `null` for a run that was asked for by hand. */
  readonly slot: Date | null;
  readonly started_at: Date;
}

/** Where it is decided who runs a slot, and remembered what ran. */
export interface ScheduleStore {
  /**
   * Makes a schedule known, and gives the time up to which its slots are done with: the last slot that was run, or, for
   * one that is new, has another timing than before, or was resumed, the time at which that happened.
   */
  open(schedule: Schedule, options: ContextOptions): Promise<Date>;
  /**
   * Takes a slot, or, when it is `null`, a run by hand. `undefined` when there is nothing to be run here: the slot was
   * taken, a run goes on, or the schedule is paused (which does not hinder a run by hand).
   */
  claim(schedule: Schedule, slot: Date | null, options: ContextOptions): Promise<Claim | undefined>;
  /** Keeps a claim for another while. False when it is lost, because it was not renewed in time. */
  renew(claim: Claim, options: ContextOptions): Promise<boolean>;
  /** Ends a claim and remembers how the run ended: `error` is why it failed, or `null`. A claim that is lost stays so. */
  finish(claim: Claim, error: string | null, options: ContextOptions): Promise<void>;
  /** The last runs of a schedule, the latest first. */
  history(schedule: string, limit: number, options: ContextOptions): Promise<readonly Run[]>;
  /** The names of the schedules that are paused. */
  paused(options: ContextOptions): Promise<ReadonlySet<string>>;
  setPaused(schedule: Schedule, isPaused: boolean, options: ContextOptions): Promise<void>;
}
