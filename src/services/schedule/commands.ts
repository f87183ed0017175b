import { Command, type Service } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Schedule, ScheduleService } from "./contract.ts";
import { formatTable } from "./engine/status.ts";

/** Options of `createCommands`. */
export interface CommandsOptions {
  /** Services of the store: the database, if there is one. */
  readonly storeServices: readonly Service.Service[];
  /** Schedules of the application, by name. */
  readonly schedules: ReadonlyMap<string, Schedule>;
  /** True if pauses are shared between processes. */
  readonly canPause: boolean;
}

type ScheduleOperations = Pick<ScheduleService, "list" | "runNow" | "pause" | "resume">;

/** Creates the commands of schedules. They start the store, but not the schedule service, which would run due slots. */
export function createCommands(schedule: ScheduleOperations, options: CommandsOptions): readonly Command.Command[] {
  const { storeServices, schedules, canPause } = options;

  const listCommand = Command.make({
    name: "schedule.list",
    usage: "[--json]",
    description: "Lists the schedules with their next slot and last run",
    dependencies: () => storeServices,
    run: async (args, { output }) => {
      if (args.some((arg) => arg !== "--json") || args.length > 1) return undefined;
      const statuses = await schedule.list();
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
      await schedule.runNow(name, { signal });
      output.print(`Ran "${name}" in ${TimeInternals.formatDuration(Time.monotonic() - startedAt)}.`);
      return Command.done;
    },
  });

  const changeCommand = (
    verb: "pause" | "resume",
    description: string,
    message: (name: string) => string,
  ): Command.Command =>
    Command.make({
      name: `schedule.${verb}`,
      usage: "<name>",
      description,
      dependencies: () => storeServices,
      run: async (args, { output }) => {
        const [name, ...rest] = args;
        if (name === undefined || rest.length > 0) return undefined;
        await schedule[verb](name);
        output.print(message(name));
        return Command.done;
      },
    });

  if (!canPause) return [listCommand, runCommand];
  return [
    listCommand,
    runCommand,
    changeCommand("pause", "Skips the slots of a schedule, in all processes", (name) => `"${name}" is paused.`),
    changeCommand("resume", "Ends the pause of a schedule", (name) => `"${name}" runs again when it is due.`),
  ];
}
