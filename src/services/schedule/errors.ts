import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_SCHEDULE_NAME: {
    message: (name: string): string =>
      `"${name}" cannot name a schedule. Use letters, digits, dots, dashes and underscores, at most 100.`,
  },
  E_SCHEDULE_NAME_TAKEN: {
    message: (name: string): string => `Two schedules have the name "${name}".`,
  },
  E_SCHEDULE_INTERVAL: {
    message: (name: string, every: number): string =>
      `The schedule "${name}" cannot be due every ${every} ms. Give whole milliseconds, from 1000 to a hundred years, such as Time.minutes(5).`,
  },
  E_SCHEDULE_CRON: {
    message: (name: string, expression: string, problem: string): string =>
      `The schedule "${name}" has the cron expression "${expression}", which cannot be used: ${problem} Write minute, hour, day of month, month and day of week, such as "0 3 * * 1".`,
  },
  E_SCHEDULE_TIME_ZONE: {
    message: (name: string, timeZone: string): string =>
      `The schedule "${name}" has the time zone "${timeZone}", which is unknown. Give a name such as "Europe/Zurich" or "UTC".`,
  },
  E_SCHEDULE_UNKNOWN: {
    message: (name: string, known: readonly string[]): string =>
      `There is no schedule "${name}". ${known.length === 0 ? "There is none at all." : `Known: ${known.join(", ")}.`}`,
  },
  E_SCHEDULE_RUNNING: {
    status: 409,
    message: (name: string): string => `The schedule "${name}" is running already. Wait until it has ended.`,
  },
  E_SCHEDULE_STOPPED: {
    message: (): string => "The run was told to end, because its process is told to end.",
  },
  E_SCHEDULE_CLAIM_LOST: {
    message: (name: string): string =>
      `The run of "${name}" was told to end: its claim in the database was not renewed in time, so that another process may run it.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
