import type { ContextOptions } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Schedule, ScheduleStore, Status } from "./contract.ts";

const slotsShown = 3;

/** How schedules are doing, by name. */
export async function statusOf(
  schedules: readonly Schedule[],
  store: ScheduleStore,
  options: ContextOptions,
): Promise<readonly Status[]> {
  const paused = await store.paused(options);
  const all = schedules.map(async (schedule): Promise<Status> => {
    const { name, description, timing } = schedule;
    const [last] = await store.history(name, 1, options);
    return { name, description, timing, next: nextOf(schedule), isPaused: paused.has(name), last };
  });
  return (await Promise.all(all)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The next slots of a schedule. */
function nextOf({ next }: Schedule): readonly Date[] {
  const slots: Date[] = [];
  for (let slot = next(Time.now()); slot !== undefined && slots.length < slotsShown; slot = next(slot)) {
    slots.push(slot);
  }
  return slots;
}
