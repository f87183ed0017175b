import { Command } from "../../core/index.ts";
import { RandomInternals } from "../../random/index.ts";

// What a command runs, and long texts of its help, are imported on demand, so that all other commands start faster.

/** Command `assets`, which bundles the sources of `resources` for production. */
export const assets: Command.Command = Command.make({
  name: "assets",
  description: "Bundles the TypeScript and CSS files of resources into public/built, for production",
  run: async (args, { output }) => {
    if (args.length > 0) return undefined;
    const { writeAssets } = await import("../../development/index.ts");
    await writeAssets(output);
    return Command.done;
  },
});

/** Returns the command `completion`, which prints a completion script for a shell. */
export const completion = (commands: () => readonly Command.Command[]): Command.Command =>
  Command.make({
    name: "completion",
    usage: "bash|zsh|fish [<name>]",
    description: "Prints a script that defines a short name for this program in a shell, and completes its commands",
    run: async ([shell = "", name = "app", ...more], { output }) => {
      if (more.length > 0 || !/^[a-z][\w-]*$/i.test(name)) return undefined;
      const { scripts } = await import("../completion/script.ts");
      const script = scripts.get(shell);
      if (script === undefined) return undefined;
      const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
      output.print(script({ name, program, commands: commands() }));
      return Command.done;
    },
  });

/**
 * Returns the command `config`, which lists configuration keys, their consumers and sources, and its alias `config:list`,
 * named by the specification. They never print values. `check` runs the checks of a start, for `--check`.
 */
export function configCommands(check: () => Promise<void>): readonly Command.Command[] {
  const definition: Command.CommandDefinition = {
    name: "config",
    usage: "[--json] [--check]",
    description: "Lists the configuration keys and where they are set, or fails if any is invalid (--check)",
    run: async (args, context) => (await import("./print-configuration.ts")).runConfig(args, context, check),
  };
  return [definition, { ...definition, name: "config:list", description: "The same as config" }].map(Command.make);
}

/** Command `database`, which changes a project to another database. */
export const database: Command.Command = Command.make({
  name: "database",
  usage: "<sqlite|postgresql|mariadb> [--dry-run]",
  description: "Changes the project to another database",
  details: async () => (await import("./details.ts")).databaseDetails,
  run: async (args, { output }) => (await import("../../generators/index.ts")).switchDatabase(args, output),
});

/** Command `dev`, which runs the development server. The program `limmat` runs it without loading the application. */
export const dev: Command.Command = Command.make({
  name: "dev",
  usage: "[--migrate] [--no-types]",
  description: "Starts the development server, which restarts the application on every change",
  details: async () => (await import("./details.ts")).devDetails,
  isLongRunning: true,
  run: async (args, { signal }) => (await import("../../development/index.ts")).runDevelop(args, signal),
});

/** Command `docs`, which prints the documentation of the installed version. */
export const docs: Command.Command = Command.make({
  name: "docs",
  usage: "[<page> | <words>...]",
  description: "Lists the pages of the documentation, prints one, or finds the sections with some words",
  run: async (args, { output }) => (await import("../docs/run-docs.ts")).runDocs(args, output),
});

/** Returns the command `help`, which prints the list of commands. The runner prints the usage of a command. */
export const helpCommand = (commands: () => readonly Command.Command[], program: string): Command.Command =>
  Command.make({
    name: "help",
    usage: "[command]",
    description: "Lists the commands, or shows the usage of one",
    run: async (args, { output }) => {
      if (args.length > 0) return undefined;
      const { commandList } = await import("../help.ts");
      output.print(commandList(commands(), program, output.isTerminal ? process.stdout.columns : Infinity));
      return Command.done;
    },
  });

/** Command `random`, which prints random bytes, for example for `FRAMEWORK_SECRET`. */
export const random: Command.Command = Command.make({
  name: "random",
  usage: "[bytes]",
  description: "Prints random bytes (default 32) in base64url, for example for FRAMEWORK_SECRET",
  run: ([bytes = "32", ...more], { output }) => {
    if (more.length > 0 || !/^[1-9]\d{0,3}$/.test(bytes)) return undefined;
    output.print(RandomInternals.base64url(Number(bytes)));
    return Command.done;
  },
});

/** Command `upgrade`, which adapts a project to the installed version of the framework. */
export const upgrade: Command.Command = Command.make({
  name: "upgrade",
  usage: "[--write] [--force] [--from=<version>]",
  description: "Adapts the project to the installed version: changes since its version, new files of the template",
  details: async () => (await import("./details.ts")).upgradeDetails,
  run: async (args, { output }) => (await import("../../generators/upgrade/index.ts")).upgrade(args, output),
});
