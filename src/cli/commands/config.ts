import { Command } from "../../core/index.ts";

/**
 * Returns the command `config`, which lists configuration keys, their consumers and sources, and its alias `config:list`,
 * named by the specification. They never print values. `check` runs the checks of a start, for `--check`.
 */
export function configCommands(check: () => Promise<void>): readonly Command.Command[] {
  const definition: Command.CommandDefinition = {
    name: "config",
    usage: "[--json] [--check]",
    description: "Lists the configuration keys and where they are set, or fails if any is invalid (--check)",
    // Imported on demand, so that all other commands start faster.
    run: async (args, context) => (await import("./print-configuration.ts")).runConfig(args, context, check),
  };
  return [definition, { ...definition, name: "config:list", description: "The same as config" }].map(Command.make);
}
