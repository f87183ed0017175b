import type { Context, ContextOptions, Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";

/**
 * Scheduled task.
 *
 * A schedule has slots: points in time at which it is due. Among all processes that share a database, one runs a slot, once.
 * Runs of a schedule never overlap: a slot that becomes due during a run is skipped. If slots were missed, because all
 * processes were down, a computer slept or the clock was set forward, the last of them runs late and the others are
 * skipped. A slot does not run again when the clock is set back.
 *
 * A run that dies with its process is not repeated: the next slot runs. Work that must not be lost belongs in a queue, to
 * which the schedule dispatches it.
 */
export interface Schedule {
  /** Name in the database and on the command line, unique in the application: `reports.weekly`. */
  readonly name: string;
  /** Description for people, in one sentence; may be empty. */
  readonly description: string;
  /** Timing for people: `every 5m`, `0 3 * * 1 (Europe/Zurich)`. */
  readonly timing: string;
  /** Returns the services that must be started before a run, and are stopped after it. */
  readonly dependencies: () => readonly Service.Service[];
  readonly run: ScheduleFunction;
  /** Returns the first slot after a point in time; `undefined` if there is none. */
  readonly next: (after: Date) => Date | undefined;
  /** Returns the last slot at or before a point in time; `undefined` if there was none. */
  readonly latest: (at: Date) => Date | undefined;
}

/** Function that does the work of a schedule. A throw fails the run; the next slot runs all the same. */
export type ScheduleFunction = (call: ScheduleCall) => unknown;

/** Argument of a schedule's `run`. */
export interface ScheduleCall {
  /** Context of the schedule service, for the operations that `run` calls. Empty by default. */
  readonly ctx: Context;
  /** Aborted when the run must end: at shutdown, or when its lease is lost and another process may have taken over. */
  readonly signal: AbortSignal;
  /** Time at which the run was due, which may be some time ago; the current time for a manual run. */
  readonly slot: Date;
}

/** Properties that all schedule definitions share. */
interface CommonDefinition {
  /** Letters, digits, dots, dashes and underscores, at most 100. */
  readonly name: string;
  readonly description?: string;
  readonly dependencies?: () => readonly Service.Service[];
  readonly run: ScheduleFunction;
}

/** Definition of a schedule that runs at a fixed interval. */
export interface IntervalDefinition extends CommonDefinition {
  /**
   * Interval in milliseconds, at least 1,000: `Time.minutes(5)`. Slots are its whole multiples since 1970-01-01T00:00Z,
   * in every process: `Time.hours(1)` is due on the hour, `Time.days(1)` at midnight UTC.
   */
  readonly intervalMs: number;
  readonly cron?: never;
  readonly timeZone?: never;
}

/** Definition of a schedule that runs at local times of a time zone. */
export interface CronDefinition extends CommonDefinition {
  /**
   * Minute, hour, day of month, month, day of week: `0 3 * * 1` is Mondays at 03:00. An optional first field gives seconds.
   * Supports lists, ranges, steps, names (`MON`, `JAN`), `L` (last), `W` (nearest weekday), `#` (nth weekday of the month)
   * and nicknames such as `@daily`. If both days are restricted, one match is enough.
   *
   * A local time that is skipped when clocks go forward is due at the end of the gap. A local time that occurs twice when
   * clocks go back is due the first time only. Expressions that are due every hour follow elapsed time instead.
   */
  readonly cron: string;
  /** IANA name of a time zone, such as `Europe/Zurich`. Default `UTC`. */
  readonly timeZone?: string;
  readonly intervalMs?: never;
}

/** Argument of `Schedule.make`. */
export type ScheduleDefinition = IntervalDefinition | CronDefinition;

/** Outcome of a run. `lost`: its process died, or could not reach the database any more, before the run ended. */
export type RunOutcome = "running" | "succeeded" | "failed" | "lost";

/** Record of a run. */
export interface RunRecord {
  readonly id: string;
  readonly schedule: string;
  /** `null` for a manual run. */
  readonly slot: Date | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly outcome: RunOutcome;
  /** Error of a failed run. */
  readonly error: string | null;
}

/** Status of a schedule. */
export interface ScheduleStatus {
  readonly name: string;
  readonly description: string;
  readonly timing: string;
  /** Next slots, up to three. They are skipped while the schedule is paused. */
  readonly next: readonly Date[];
  readonly isPaused: boolean;
  readonly last: RunRecord | undefined;
}

/** Argument of `onFailure`: a run that threw. */
export interface ScheduleFailure {
  readonly schedule: string;
  /** `null` for a manual run. */
  readonly slot: Date | null;
  readonly error: unknown;
}

/** Options of `Schedule.service`. */
export interface ScheduleOptions {
  /** Database that coordinates and records runs. Without it, every process runs every slot, and records end with it. */
  readonly database?: Database;
  /** Context of the runs, and of database operations, where it selects the pool. */
  readonly ctx?: Context;
  /** Called with each run that threw, after it was logged: to send an e-mail, for example. */
  readonly onFailure?: (failure: ScheduleFailure) => unknown;
}

/** Service that runs schedules in every process that runs the server, unless `SCHEDULE_RUN` is false. */
export interface ScheduleService extends Service.Service {
  /** Returns the status of all schedules, by name. */
  list(options?: ContextOptions): Promise<readonly ScheduleStatus[]>;
  /** Returns the last runs, latest first: at most `limit`, default 20, of the last 100. @throws E_SCHEDULE_UNKNOWN */
  history(name: string, options?: ContextOptions & { readonly limit?: number }): Promise<readonly RunRecord[]>;
  /**
   * Runs a schedule now, in this process, paused or not, and waits for the end. Its slots stay as they are. Rethrows what
   * the run throws.
   *
   * @throws E_SCHEDULE_UNKNOWN, E_SCHEDULE_RUNNING (409) if it runs already, here or in another process.
   */
  runNow(name: string, options?: ContextOptions & { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Skips the slots of a schedule until `resume`, in all processes that share a database and across restarts; without a
   * database in this process only. A run in progress continues. Pausing a paused schedule has no effect.
   *
   * @throws E_SCHEDULE_UNKNOWN
   */
  pause(name: string, options?: ContextOptions): Promise<void>;
  /** Ends a pause. The slots skipped meanwhile do not run. @throws E_SCHEDULE_UNKNOWN */
  resume(name: string, options?: ContextOptions): Promise<void>;
}
