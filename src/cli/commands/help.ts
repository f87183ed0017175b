import { Command } from "../../core/index.ts";
import { helpOf, listOf } from "../help.ts";
import { unknown } from "../unknown.ts";

/** The command `help`: the list of commands, or how one is used. */
export function help(commands: () => readonly Command.Command[], program: string): Command.Command {
  return Command.make({
    name: "help",
    usage: "[command]",
    description: "Lists the commands, or shows how one is used",
    run: (args, { output }) => {
      const [name] = args;
      if (args.length > 1) return undefined;
      const found = commands().find((command) => command.name === name);
      if (name === undefined) output.print(listOf(commands(), program));
      else if (found !== undefined) output.print(helpOf(found, program));
      else output.note(unknown(name, commands(), program));
      return Command.done;
    },
  });
}
