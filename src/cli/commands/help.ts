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
      const [name, ...more] = args;
      if (more.length > 0) return undefined;
      if (name === undefined) {
        output.print(listOf(commands(), program, output.isTerminal ? process.stdout.columns : Infinity));
        return Command.done;
      }
      const found = commands().find((command) => command.name === name);
      if (found === undefined) {
        output.note(unknown(name, commands(), program));
        return undefined;
      }
      output.print(helpOf(found, program));
      return Command.done;
    },
  });
}
