import type { Schedule, ScheduleDefinition } from "./contract.ts";
import { timingOf } from "./engine/timing.ts";
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
  return Object.freeze({ name, description, dependencies, run, ...timingOf(definition) });
}
