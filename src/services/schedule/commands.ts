import { Command, type Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Run, Schedule, ScheduleService, Status } from "./contract.ts";

/** What the commands need beside the service. */
export interface CommandsOptions {
  /** The database, if there is one. */
  readonly needed: readonly Service.Service[];
  /** Collects the schedules that the services of the application list. */
  readonly prepare: (services: readonly Service.Service[]) => ReadonlyMap<string, Schedule>;
  readonly canPause: boolean;
}

type Operations = Pick<ScheduleService, "list" | "runNow" | "pause" | "resume">;

/** The commands of schedules. They start what they need, but not the service, which would run what is due. */
export function commands(schedule: Operations, options: CommandsOptions): readonly Command.Command[] {
  const { needed, prepare, canPause } = options;

  const list = Command.make({
    name: "schedule.list",
    usage: "[--json]",
    description: "Shows the schedules: when they are due next, and how they ran last",
    dependencies: () => needed,
    run: async (args, { services, output }) => {
      if (args.some((arg) => arg !== "--json") || args.length > 1) return undefined;
      prepare(services);
      const all = await schedule.list();
      if (args.length > 0) output.print(JSON.stringify(all));
      else if (all.length === 0) output.print("There are no schedules.");
      else for (const line of table(all)) output.print(line);
      return Command.done;
    },
  });

  const run = Command.make({
    name: "schedule.run",
    usage: "<name>",
    description: "Runs a schedule now, whenever it is due, and waits for the end",
    dependencies: ([name = ""], services) => {
      const chosen = prepare(services).get(name);
      return chosen === undefined ? needed : [...new Set([...needed, ...chosen.dependencies()])];
    },
    run: async (args, { services, output, signal }) => {
      const [name, ...others] = args;
      if (name === undefined || others.length > 0) return undefined;
      prepare(services);
      const started = Time.monotonic();
      await schedule.runNow(name, { signal });
      output.print(`Ran "${name}" in ${Time.formatDuration(Time.monotonic() - started)}.`);
      return Command.done;
    },
  });

  const change = (verb: "pause" | "resume", description: string, said: (name: string) => string): Command.Command =>
    Command.make({
      name: `schedule.${verb}`,
      usage: "<name>",
      description,
      dependencies: () => needed,
      run: async (args, { services, output }) => {
        const [name, ...others] = args;
        if (name === undefined || others.length > 0) return undefined;
        prepare(services);
        await schedule[verb](name);
        output.print(said(name));
        return Command.done;
      },
    });

  if (!canPause) return [list, run];
  return [
    list,
    run,
    change(
      "pause",
      "Lets the slots of a schedule pass without a run, in all processes",
      (name) => `"${name}" is paused.`,
    ),
    change("resume", "Ends the pause of a schedule", (name) => `"${name}" runs again when it is due.`),
  ];
}

/** The schedules as lines of columns. */
function table(all: readonly Status[]): readonly string[] {
  const rows = [
    ["NAME", "DUE", "NEXT", "LAST"],
    ...all.map(({ name, timing, next, isPaused, last }) => [
      name,
      timing,
      isPaused ? "paused" : (next[0]?.toISOString() ?? "never"),
      last === undefined ? "not yet" : told(last),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function told({ outcome, started_at, ended_at, error }: Run): string {
  const took = ended_at === null ? "" : ` in ${Time.formatDuration(ended_at.getTime() - started_at.getTime())}`;
  const reason = error === null ? "" : `: ${error.replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 100)}`;
  return `${outcome} ${started_at.toISOString()}${took}${reason}`;
}
