import { createRequire } from "node:module";
import type * as Croner from "croner";
import { Time, TimeInternals } from "../../time/index.ts";
import type { CronDefinition, IntervalDefinition, Schedule, ScheduleDefinition } from "./contract.ts";
import { findTimeZone, type TimeZone, utc } from "./engine/time-zone.ts";
import { errors } from "./errors.ts";

/**
 * Creates a schedule. Checks the definition immediately, before any service starts.
 *
 * @throws E_SCHEDULE_NAME, E_SCHEDULE_INTERVAL, E_SCHEDULE_CRON, E_SCHEDULE_TIME_ZONE
 *
 * @example
 * export const weeklyReport = Schedule.make({
 *   name: "reports.weekly",
 *   description: "Sends the report of the week",
 *   cron: "0 7 * * MON",
 *   timeZone: "Europe/Zurich",
 *   dependencies: () => [database, email],
 *   run: ({ signal }) => Report.send({ signal }),
 * });
 */
export function make(definition: ScheduleDefinition): Schedule {
  const { name, description = "", dependencies = () => [], run } = definition;
  if (!/^[\w.-]{1,100}$/.test(name)) throw errors.E_SCHEDULE_NAME(name);
  const timing = definition.cron === undefined ? intervalTiming(definition) : cronTiming(definition);
  return Object.freeze({ name, description, dependencies, run, ...timing });
}

type Cron = Croner.Cron;

/** Slots of a schedule. */
type Timing = Pick<Schedule, "timing" | "next" | "latest">;

/** Maximum interval in milliseconds: a hundred years. No database stores dates far beyond it. */
const maxIntervalMs = Time.days(36_525);

function intervalTiming({ name, intervalMs }: IntervalDefinition): Timing {
  if (!Number.isSafeInteger(intervalMs) || intervalMs < 1000 || intervalMs > maxIntervalMs) {
    throw errors.E_SCHEDULE_INTERVAL(name, intervalMs);
  }
  const latest = (at: Date): Date => new Date(Math.floor(at.getTime() / intervalMs) * intervalMs);
  return {
    timing: `every ${TimeInternals.formatDuration(intervalMs)}`,
    next: (after) => new Date(latest(after).getTime() + intervalMs),
    latest,
  };
}

function cronTiming({ name, cron, timeZone: timeZoneName = "UTC" }: CronDefinition): Timing {
  const fields = cron.trim().split(/\s+/);
  const expression = fields.join(" ");
  const timeZone = findTimeZone(timeZoneName);
  if (timeZone === undefined) throw errors.E_SCHEDULE_TIME_ZONE(name, timeZoneName);
  const isHourly = expression.toLowerCase() === "@hourly" || /^(?:[*?]|0-23)(?:\/1)?$/.test(fields.at(-4) ?? "");
  // Hourly slots are matched as timestamps, all others as local times.
  const times = parseCron(name, expression, isHourly ? timeZoneName : "UTC");
  return { timing: `${expression} (${timeZoneName})`, ...wallClock(times, isHourly ? utc : timeZone) };
}

function parseCron(name: string, expression: string, timeZoneName: string): Cron {
  // The library accepts a date as well, as a schedule that is due once.
  if (!expression.startsWith("@") && !/^\S+(?: \S+){4,5}$/.test(expression)) {
    throw errors.E_SCHEDULE_CRON(name, expression, "it does not have five fields, or six with seconds.");
  }
  // Loaded on first use, because most applications have no cron expression. Loaded synchronously, because modules create
  // schedules at import.
  const library = createRequire(import.meta.url)("croner") as typeof Croner;
  let times: Cron;
  try {
    times = new library.Cron(expression, { timezone: timeZoneName, mode: "5-or-6-parts" });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "").replace(/[^.]$/, "$&.") : "";
    throw errors.E_SCHEDULE_CRON(name, expression, problem).causedBy(cause);
  }
  if (times.nextRun(new Date(0)) === null) throw errors.E_SCHEDULE_CRON(name, expression, "it is never due.");
  return times;
}

/** Returns the slots of an expression: local times in their own order, which a change of the clocks leaves intact. */
function wallClock(times: Cron, { toLocalTime, toTimestamp }: TimeZone): Omit<Timing, "timing"> {
  const next = (after: Date): Date | undefined => {
    let localTime = nextMatch(times, toLocalTime(after.getTime()));
    while (localTime !== undefined) {
      const timestamp = toTimestamp(localTime.getTime());
      if (timestamp > after.getTime()) return new Date(timestamp);
      // Skips the repeated hour when clocks go back: these slots were due in its first occurrence.
      localTime = nextMatch(times, localTime.getTime());
    }
    return undefined;
  };
  const latest = (at: Date): Date | undefined => {
    const localTime = latestMatch(times, toLocalTime(at.getTime()));
    let slot = localTime && new Date(toTimestamp(localTime.getTime()));
    // During a repeated hour, later local times have occurred already.
    for (let later = slot && next(slot); later !== undefined && later <= at; later = next(later)) slot = later;
    return slot;
  };
  return { next, latest };
}

const nextMatch = (times: Cron, after: number): Date | undefined => times.nextRun(new Date(after)) ?? undefined;

// The library excludes the given second, so the next one is given.
const latestMatch = (times: Cron, at: number): Date | undefined =>
  times.previousRuns(1, new Date(Math.floor(at / 1000) * 1000 + 1000))[0];
