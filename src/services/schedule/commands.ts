import { Command, type Service } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { RunRecord, Schedule, ScheduleService, ScheduleStatus } from "./contract.ts";

/** Creates the commands of schedules. They start the store, but not the schedule service, which would run due slots. */
export function createCommands(
  schedule: () => ScheduleService,
  schedules: ReadonlyMap<string, Schedule>,
  storeServices: readonly Service.Service[],
): readonly Command.Command[] {
  const listCommand = Command.make({
    name: "schedule.list",
    usage: "[--json]",
    description: "Lists the schedules with their next slot and last run",
    dependencies: () => storeServices,
    run: async (args, { output }) => {
      if (args.some((arg) => arg !== "--json") || args.length > 1) return undefined;
      const statuses = await schedule().list();
      if (args.length > 0) output.print(JSON.stringify(statuses));
      else if (statuses.length === 0) output.print("There are no schedules.");
      else for (const line of formatTable(statuses)) output.print(line);
      return Command.done;
    },
  });

  const runCommand = Command.make({
    name: "schedule.run",
    usage: "<name>",
    description: "Runs a schedule now, even if it is not due, and waits for the end",
    dependencies: ([name = ""]) => {
      const chosen = schedules.get(name);
      return chosen === undefined ? storeServices : [...new Set([...storeServices, ...chosen.dependencies()])];
    },
    run: async (args, { output, signal }) => {
      const [name, ...rest] = args;
      if (name === undefined || rest.length > 0) return undefined;
      const startedAt = Time.monotonic();
      await schedule().runNow(name, { signal });
      output.print(`Ran "${name}" in ${TimeInternals.formatDuration(Time.monotonic() - startedAt)}.`);
      return Command.done;
    },
  });

  const changeCommand = (verb: "pause" | "resume", description: string, effect: string): Command.Command =>
    Command.make({
      name: `schedule.${verb}`,
      usage: "<name>",
      description,
      dependencies: () => storeServices,
      run: async (args, { output }) => {
        const [name, ...rest] = args;
        if (name === undefined || rest.length > 0) return undefined;
        await schedule()[verb](name);
        output.print(`"${name}" ${effect}.`);
        return Command.done;
      },
    });

  // Without a database, a pause would not reach other processes.
  if (storeServices.length === 0) return [listCommand, runCommand];
  return [
    listCommand,
    runCommand,
    changeCommand("pause", "Skips the slots of a schedule, in all processes", "is paused"),
    changeCommand("resume", "Ends the pause of a schedule", "runs again when it is due"),
  ];
}

/** Formats the status of schedules as the lines of a table. */
function formatTable(statuses: readonly ScheduleStatus[]): readonly string[] {
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
