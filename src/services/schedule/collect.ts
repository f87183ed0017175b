import type { Service } from "../../core/index.ts";
import type { Schedule, ScheduleDefinition } from "./contract.ts";
import { errors } from "./errors.ts";
import { make } from "./make.ts";

/**
 * The schedules of an application by name: its own, and those that its services list as `schedules`, such as the
 * removal of what has expired. The latter depend on their service.
 *
 * @throws E_SCHEDULE_NAME_TAKEN, and what `make` throws.
 */
export function collect(own: readonly Schedule[], services: readonly Service.Service[]): ReadonlyMap<string, Schedule> {
  const brought = services.flatMap((service) =>
    "schedules" in service
      ? (service.schedules as readonly ScheduleDefinition[]).map((definition) =>
          make({ ...definition, dependencies: () => [service] }),
        )
      : [],
  );
  const schedules = new Map<string, Schedule>();
  for (const schedule of [...own, ...brought]) {
    if (schedules.has(schedule.name)) throw errors.E_SCHEDULE_NAME_TAKEN(schedule.name);
    schedules.set(schedule.name, schedule);
  }
  return schedules;
}

/** The schedule of a name. Throws E_SCHEDULE_UNKNOWN. */
export function find(schedules: ReadonlyMap<string, Schedule>, name: string): Schedule {
  const schedule = schedules.get(name);
  if (schedule === undefined) throw errors.E_SCHEDULE_UNKNOWN(name, [...schedules.keys()].sort());
  return schedule;
}
