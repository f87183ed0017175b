import { type Command, Lifecycle } from "../core/index.ts";
import { checkLayout } from "./commands/check-layout.ts";
import { completion } from "./commands/completion.ts";
import { config, configList } from "./commands/config.ts";
import { generators } from "./commands/gen.ts";
import { help } from "./commands/help.ts";
import { random } from "./commands/random.ts";
import { execute } from "./execute.ts";
import { commandHelp } from "./help.ts";
import type { Host } from "./host.ts";
import { collectCommands, type Program } from "./program.ts";
import { printError } from "./format-error.ts";
import { unknownCommandMessage } from "./unknown-command.ts";

/**
 * Runs the command that the arguments name and returns the exit code. Never throws.
 *
 * Prints the list of commands without arguments. `help` as the last argument, and `--help` or `-h` anywhere, print the
 * usage of a command. Arguments after `--` are never read as a request for help.
 */
export async function run(program: Program, argv: readonly string[], host: Host): Promise<number> {
  try {
    const services = Lifecycle.sortByDependencies(program.services);
    const commands: Command.Command[] = collectCommands(
      [
        help(() => commands, host.program),
        completion(() => commands),
        config,
        configList,
        random,
        checkLayout,
        ...generators,
        ...program.builtIn,
      ],
      services,
      program.commands,
    );
    const [first = "help", ...args] = argv;
    const name = first === "--help" || first === "-h" ? "help" : first;
    const command = commands.find((candidate) => candidate.name === name);
    if (command === undefined) {
      host.output.note(unknownCommandMessage(name, commands, host.program));
      return 2;
    }
    if (isHelpRequested(args)) {
      host.output.print(commandHelp(command, host.program));
      return 0;
    }
    return await execute(command, args, { ...program, services }, host);
  } catch (thrown) {
    printError(thrown, host.output);
    return 1;
  }
}

function isHelpRequested(args: readonly string[]): boolean {
  const separatorIndex = args.indexOf("--");
  if (separatorIndex === -1 && args.at(-1) === "help") return true;
  return (separatorIndex === -1 ? args : args.slice(0, separatorIndex)).some((arg) => arg === "--help" || arg === "-h");
}
