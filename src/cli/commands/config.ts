import { parseArgs } from "node:util";
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
    run: async (args, context) => {
      const { values } = parseArgs({
        args: [...args],
        options: { json: { type: "boolean" }, check: { type: "boolean" } },
      });
      const { printConfiguration } = await import("./print-configuration.ts");
      if (values.json === true || values.check !== true) printConfiguration(values.json === true, context);
      if (values.check !== true) return Command.done;
      await check();
      if (values.json !== true) context.output.print("The configuration is complete.");
      return Command.done;
    },
  };
  return [definition, { ...definition, name: "config:list", description: "The same as config" }].map(Command.make);
}
