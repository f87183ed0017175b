import type { ContextOptions } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";
import type { Schedule, ScheduleStatus } from "../contract.ts";
import type { ScheduleStore } from "../store/contract.ts";

const maxNextSlots = 3;

/** Returns the status of schedules, by name. */
export async function listStatuses(
  schedules: readonly Schedule[],
  store: ScheduleStore,
  options: ContextOptions,
): Promise<readonly ScheduleStatus[]> {
  const pausedNames = await store.pausedNames(options);
  const statuses = schedules.map(async (schedule): Promise<ScheduleStatus> => {
    const { name, description, timing } = schedule;
    const [last] = await store.history(name, 1, options);
    return { name, description, timing, next: nextSlots(schedule), isPaused: pausedNames.has(name), last };
  });
  return (await Promise.all(statuses)).sort((left, right) => (left.name < right.name ? -1 : 1));
}

function nextSlots({ next }: Schedule): readonly Date[] {
  const slots: Date[] = [];
  for (let slot = next(Time.now()); slot !== undefined && slots.length < maxNextSlots; slot = next(slot)) {
    slots.push(slot);
  }
  return slots;
}
