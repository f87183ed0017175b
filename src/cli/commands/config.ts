import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";

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
    printConfiguration(values, context);
    return Command.done;
  },
};

/** Command `config`, which lists configuration keys, their consumers and sources. Never prints values. */
export const config: Command.Command = Command.make(definition);

/** Command `config:list`, an alias of `config` named by the specification. */
export const configList: Command.Command = Command.make({
  ...definition,
  name: "config:list",
  description: "The same as config",
});
