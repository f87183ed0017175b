import type { ContextOptions } from "../../../core/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { RunRecord, Schedule, ScheduleStatus } from "../contract.ts";
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

/** Formats the status of schedules as the lines of a table. */
export function formatTable(statuses: readonly ScheduleStatus[]): readonly string[] {
  const rows = [
    ["NAME", "DUE", "NEXT", "LAST"],
    ...statuses.map(({ name, timing, next, isPaused, last }) => [
      name,
      timing,
      isPaused ? "paused" : (next[0]?.toISOString() ?? "never"),
      last === undefined ? "not yet" : formatRun(last),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function formatRun({ outcome, started_at, ended_at, error }: RunRecord): string {
  const duration =
    ended_at === null ? "" : ` in ${TimeInternals.formatDuration(ended_at.getTime() - started_at.getTime())}`;
  const reason = error === null ? "" : `: ${error.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 100)}`;
  return `${outcome} ${started_at.toISOString()}${duration}${reason}`;
}
