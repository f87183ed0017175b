import type { Service } from "../../core/index.ts";
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

/**
 * Returns the schedules of an application by name: its own, and the `schedules` of its services, such as the
 * deletion of expired tokens. A schedule of a service depends on that service.
 *
 * @throws E_SCHEDULE_NAME_TAKEN, and the errors of `make`.
 */
export function collectSchedules(
  applicationSchedules: readonly Schedule[],
  services: readonly Service.Service[],
): ReadonlyMap<string, Schedule> {
  const serviceSchedules = services.flatMap((service) =>
    "schedules" in service
      ? (service.schedules as readonly ScheduleDefinition[]).map((definition) =>
          make({ ...definition, dependencies: () => [service] }),
        )
      : [],
  );
  const schedules = new Map<string, Schedule>();
  for (const schedule of [...applicationSchedules, ...serviceSchedules]) {
    if (schedules.has(schedule.name)) throw errors.E_SCHEDULE_NAME_TAKEN(schedule.name);
    schedules.set(schedule.name, schedule);
  }
  return schedules;
}

/**
 * Returns the schedule of a name.
 *
 * @throws E_SCHEDULE_UNKNOWN
 */
export function findSchedule(schedules: ReadonlyMap<string, Schedule>, name: string): Schedule {
  const schedule = schedules.get(name);
  if (schedule === undefined) throw errors.E_SCHEDULE_UNKNOWN(name, [...schedules.keys()].sort());
  return schedule;
}
