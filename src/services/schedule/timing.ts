import { createRequire } from "node:module";
import type * as Croner from "croner";
import { Time } from "../../time/index.ts";
import type { CronDefinition, IntervalDefinition, Schedule, ScheduleDefinition } from "./contract.ts";
import { errors } from "./errors.ts";
import { type TimeZone, timeZone } from "./time-zone.ts";

type Cron = Croner.Cron;

/** When a schedule is due. */
export type Timing = Pick<Schedule, "timing" | "next" | "latest">;

/** The timing of a definition. Throws E_SCHEDULE_INTERVAL, E_SCHEDULE_CRON, E_SCHEDULE_TIME_ZONE. */
export function timingOf(definition: ScheduleDefinition): Timing {
  return definition.cron === undefined ? interval(definition) : cron(definition);
}

/** A hundred years: no database, and far beyond it no date, has what is later. */
const longest = Time.days(36_525);

function interval({ name, every }: IntervalDefinition): Timing {
  if (!Number.isSafeInteger(every) || every < 1000 || every > longest) throw errors.E_SCHEDULE_INTERVAL(name, every);
  const latest = (at: Date): Date => new Date(Math.floor(at.getTime() / every) * every);
  return {
    timing: `every ${Time.formatDuration(every)}`,
    next: (after) => new Date(latest(after).getTime() + every),
    latest,
  };
}

function cron({ name, cron: given, timeZone: zoneName = "UTC" }: CronDefinition): Timing {
  const fields = given.trim().split(/\s+/);
  const expression = fields.join(" ");
  const zone = timeZone(zoneName);
  if (zone === undefined) throw errors.E_SCHEDULE_TIME_ZONE(name, zoneName);
  const isHourly = expression.toLowerCase() === "@hourly" || /^(?:[*?]|0-23)(?:\/1)?$/.test(fields.at(-4) ?? "");
  const times = parse(name, expression, isHourly ? zoneName : "UTC");
  return {
    timing: `${expression} (${zoneName})`,
    ...(isHourly ? ofElapsedTime(times) : ofWallTime(times, zone)),
  };
}

function parse(name: string, expression: string, zoneName: string): Cron {
  // The library would take a date for a schedule that is due once.
  if (!expression.startsWith("@") && !/^\S+(?: \S+){4,5}$/.test(expression)) {
    throw errors.E_SCHEDULE_CRON(name, expression, "it has not five fields, or six with seconds.");
  }
  // Loaded at once, because expressions are checked where modules begin, and only for one: most applications have none.
  const library = createRequire(import.meta.url)("croner") as typeof Croner;
  let times: Cron;
  try {
    times = new library.Cron(expression, { timezone: zoneName, mode: "5-or-6-parts" });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "").replace(/[^.]$/, "$&.") : "";
    throw errors.E_SCHEDULE_CRON(name, expression, problem).causedBy(cause);
  }
  if (times.nextRun(new Date(0)) === null) throw errors.E_SCHEDULE_CRON(name, expression, "it is never due.");
  return times;
}

/** Expressions that are due every hour: as the wall shows, in the order in which time passes. */
function ofElapsedTime(times: Cron): Omit<Timing, "timing"> {
  return { next: (after) => nextOf(times, after.getTime()), latest: (at) => latestOf(times, at.getTime()) };
}

/** All other expressions: as the wall shows, in the order of the wall, which a change of the clock does not disturb. */
function ofWallTime(times: Cron, { wallAt, timeOf }: TimeZone): Omit<Timing, "timing"> {
  const next = (after: Date): Date | undefined => {
    // What the wall shows for the second time was due when it did for the first.
    for (let wall = nextOf(times, wallAt(after.getTime())); wall !== undefined; wall = nextOf(times, wall.getTime())) {
      const time = timeOf(wall.getTime());
      if (time > after.getTime()) return new Date(time);
    }
    return undefined;
  };
  const latest = (at: Date): Date | undefined => {
    const wall = latestOf(times, wallAt(at.getTime()));
    let found = wall && new Date(timeOf(wall.getTime()));
    // While the wall shows an hour for the second time, later times of it have been.
    for (let time = found && next(found); time !== undefined && time <= at; time = next(time)) found = time;
    return found;
  };
  return { next, latest };
}

const nextOf = (times: Cron, after: number): Date | undefined => times.nextRun(new Date(after)) ?? undefined;

// The library leaves out the second that it is given.
const latestOf = (times: Cron, at: number): Date | undefined =>
  times.previousRuns(1, new Date(Math.floor(at / 1000) * 1000 + 1000))[0];
