import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_SCHEDULE_NAME: (name: string): string =>
    `"${name}" is not a valid name of a schedule. Use letters, digits, dots, dashes and underscores, at most 100.`,
  E_SCHEDULE_NAME_TAKEN: (name: string): string => `Two schedules have the name "${name}".`,
  E_SCHEDULE_INTERVAL: (name: string, intervalMs: number | undefined): string =>
    intervalMs === undefined
      ? `The schedule "${name}" has no time. Set either intervalMs or cron.`
      : `The schedule "${name}" cannot run every ${intervalMs} ms. Use whole milliseconds, from 1000 to a hundred years, such as Time.minutes(5).`,
  E_SCHEDULE_CRON: (name: string, expression: string, problem: string): string =>
    `The schedule "${name}" has an invalid cron expression "${expression}": ${problem} Use minute, hour, day of month, month and day of week, such as "0 3 * * 1".`,
  E_SCHEDULE_TIME_ZONE: (name: string, timeZone: string): string =>
    `The schedule "${name}" has an unknown time zone "${timeZone}". Use a name such as "Europe/Zurich" or "UTC".`,
  E_SCHEDULE_UNKNOWN: (name: string, names: readonly string[]): string =>
    `There is no schedule "${name}". ${names.length === 0 ? "No schedules are defined." : `Known: ${names.join(", ")}.`}`,
  E_SCHEDULE_RUNNING: {
    status: 409,
    message: (name: string): string => `The schedule "${name}" is already running. Wait until it has ended.`,
  },
  E_SCHEDULE_STOPPED: "The run was aborted because its process shuts down.",
  E_SCHEDULE_CLAIM_LOST: (name: string): string =>
    `The run of "${name}" was aborted: its lease in the database was not renewed in time, so another process may run it.`,
};

/** Errors of the schedule service. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
