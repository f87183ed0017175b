import { Command } from "../../core/index.ts";

/** Returns the command `completion`, which prints a completion script for a shell. */
export function completion(commands: () => readonly Command.Command[]): Command.Command {
  return Command.make({
    name: "completion",
    usage: "bash|zsh|fish [<name>]",
    description: "Prints a script that defines a short name for this program in a shell, and completes its commands",
    run: async ([shell = "", name = "app", ...more], { output }) => {
      if (more.length > 0 || !/^[a-z][\w-]*$/i.test(name)) return undefined;
      // Imported on demand, so that all other commands start faster.
      const { scripts } = await import("../completion/script.ts");
      const script = scripts.get(shell);
      if (script === undefined) return undefined;
      const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
      output.print(script({ name, program, commands: commands() }));
      return Command.done;
    },
  });
}
