import { Command } from "../../core/index.ts";

/** Returns the command `help`, which prints the list of commands or the usage of one command. */
export function help(commands: () => readonly Command.Command[], program: string): Command.Command {
  return Command.make({
    name: "help",
    usage: "[command]",
    description: "Lists the commands, or shows the usage of one",
    run: async (args, { output }) => {
      const [name, ...more] = args;
      if (more.length > 0) return undefined;
      // Imported on demand, so that all other commands start faster.
      const { commandHelp, commandList, unknownCommandMessage } = await import("../help.ts");
      if (name === undefined) {
        output.print(commandList(commands(), program, output.isTerminal ? process.stdout.columns : Infinity));
        return Command.done;
      }
      const match = commands().find((command) => command.name === name);
      if (match === undefined) {
        output.note(unknownCommandMessage(name, commands(), program));
        return undefined;
      }
      output.print(commandHelp(match, program));
      return Command.done;
    },
  });
}
