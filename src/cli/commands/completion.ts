import { Command } from "../../core/index.ts";

/** The command `completion`: the script that teaches a shell the commands of the application, under a name. */
export function completion(commands: () => readonly Command.Command[]): Command.Command {
  return Command.make({
    name: "completion",
    usage: "bash|zsh|fish [<name>]",
    description: "Prints a script that gives this program a short name in a shell, and completes its commands",
    run: async ([shell = "", name = "app", ...more], { output }) => {
      if (more.length > 0 || !/^[a-z][\w-]*$/i.test(name)) return undefined;
      // Loaded here, so that all other commands start as fast as without.
      const { scripts } = await import("../completion/script.ts");
      const script = scripts.get(shell);
      if (script === undefined) return undefined;
      const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
      output.print(script({ name, program, commands: commands() }));
      return Command.done;
    },
  });
}
