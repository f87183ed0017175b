import { type Command, Lifecycle } from "../core/index.ts";
import { checkLayout } from "./commands/check-layout.ts";
import { completion } from "./commands/completion.ts";
import { config, configList } from "./commands/config.ts";
import { generators } from "./commands/gen.ts";
import { help } from "./commands/help.ts";
import { random } from "./commands/random.ts";
import { execute } from "./execute.ts";
import { helpOf } from "./help.ts";
import type { Host } from "./host.ts";
import { gather, type Program } from "./program.ts";
import { note } from "./report.ts";
import { unknown } from "./unknown.ts";

/**
 * Runs the command that the arguments name, and gives the exit code; it never throws.
 *
 * Without arguments it prints the list of commands. `help` as the last argument, and `--help` or `-h` anywhere, show how
 * a command is used; after `--` neither counts.
 */
export async function run(program: Program, argv: readonly string[], host: Host): Promise<number> {
  try {
    const services = Lifecycle.inOrder(program.services);
    const commands: Command.Command[] = gather(
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
      host.output.note(unknown(name, commands, host.program));
      return 2;
    }
    if (asksForHelp(args)) {
      host.output.print(helpOf(command, host.program));
      return 0;
    }
    return await execute(command, args, { ...program, services }, host);
  } catch (thrown) {
    note(thrown, host.output);
    return 1;
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  if (end === -1 && args.at(-1) === "help") return true;
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
