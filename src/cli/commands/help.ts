import { Command } from "../../core/index.ts";

/** Returns the command `help`, which prints the list of commands. The runner prints the usage of a command. */
export function helpCommand(commands: () => readonly Command.Command[], program: string): Command.Command {
  return Command.make({
    name: "help",
    usage: "[command]",
    description: "Lists the commands, or shows the usage of one",
    run: async (args, { output }) => {
      if (args.length > 0) return undefined;
      // Imported on demand, so that all other commands start faster.
      const { commandList } = await import("../help.ts");
      output.print(commandList(commands(), program, output.isTerminal ? process.stdout.columns : Infinity));
      return Command.done;
    },
  });
}
