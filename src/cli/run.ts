import { type Command, Lifecycle, type Service } from "../core/index.ts";
import {
  assets,
  completion,
  configCommands,
  database,
  dev,
  docs,
  helpCommand,
  random,
  upgrade,
} from "./commands/built-in.ts";
import { deploy } from "./commands/deploy.ts";
import { generators } from "./commands/gen.ts";
import { errors } from "./errors.ts";
import { execute } from "./execute.ts";
import { type Host, printError } from "../program/index.ts";

/** Program of the command runner: services, commands, and the function that starts services. */
export interface Program {
  /** Services of the application. Their dependencies are included automatically. */
  readonly services: readonly Service.Service[];
  /** Commands that the caller adds to the commands of the framework. */
  readonly builtIn: readonly Command.Command[];
  /** Runs the checks of a start, and starts no service. */
  readonly checkConfiguration: () => Promise<void>;
  /** Commands of the application. */
  readonly commands: readonly Command.Command[];
  /** Starts the services that a command depends on. Not called for a command without dependencies. */
  readonly start: (
    services: readonly Service.Service[],
    command: Command.Command,
    options: Lifecycle.StartOptions,
  ) => Promise<Lifecycle.RunningServices>;
}

const commandNamePattern = /^[a-z][a-z0-9_-]*([.:][a-z0-9_-]+)*$/;

/**
 * Collects the commands of the framework, of the services and of the application, sorted by name.
 *
 * No command overrides another, so that a command name means the same in every application.
 *
 * @throws E_COMMAND_NAME_TAKEN when two commands have the same name.
 * @throws E_COMMAND_NAME_INVALID when a name is not in dot style (`todo.add`).
 */
function collectCommands(
  builtIn: readonly Command.Command[],
  services: readonly Service.Service[],
  applicationCommands: readonly Command.Command[],
): Command.Command[] {
  const ownerByName = new Map<string, string>();
  const validated = (owner: string, command: Command.Command): Command.Command => {
    const { name } = command;
    const firstOwner = ownerByName.get(name);
    if (firstOwner !== undefined) throw errors.E_COMMAND_NAME_TAKEN(name, firstOwner, owner);
    if (!commandNamePattern.test(name)) throw errors.E_COMMAND_NAME_INVALID(name, owner);
    ownerByName.set(name, owner);
    return command;
  };
  return [
    ...builtIn.map((command) => validated("limmat", command)),
    ...services.flatMap(({ name, commands }) => commands.map((command) => validated(`the service "${name}"`, command))),
    ...applicationCommands.map((command) => validated("the application", command)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Runs the command that the arguments name and returns the exit code. Never throws.
 *
 * Prints the list of commands without arguments. `help` as the first or last argument, and `--help` or `-h` anywhere, print
 * the usage of a command, or the commands of a group. Arguments after `--` are never read as a request for help.
 */
export async function run(program: Program, argv: readonly string[], host: Host): Promise<number> {
  try {
    const services = Lifecycle.sortByDependencies(program.services);
    const commands: Command.Command[] = collectCommands(
      [
        helpCommand(() => commands, host.program),
        completion(() => commands),
        ...configCommands(program.checkConfiguration),
        random,
        docs,
        assets,
        database,
        deploy,
        dev,
        upgrade,
        ...generators,
        ...program.builtIn,
      ],
      services,
      program.commands,
    );
    const [name, ...args] = withoutHelpCommand(argv);
    const command = commands.find((candidate) => candidate.name === name);
    if (command === undefined) {
      // Loaded on demand, so that all other commands start faster (docs/decisions/017).
      const { groupHelp, unknownCommandMessage } = await import("./help.ts");
      const group = isHelpRequested(args) ? groupHelp(name, commands, host.program) : undefined;
      if (group === undefined) host.output.note(unknownCommandMessage(name, commands, host.program));
      else host.output.print(group);
      return group === undefined ? 2 : 0;
    }
    if (isHelpRequested(args)) {
      const { commandHelp } = await import("./help.ts");
      host.output.print(await commandHelp(command, host.program));
      return 0;
    }
    // The script of a project that runs its commands: npm run app migrate.
    if (process.env["npm_lifecycle_event"] === "app") {
      const { refuseTakenOptions } = await import("../project/index.ts");
      if (await refuseTakenOptions(command, args, host.output)) return 2;
    }
    return await execute(command, args, { ...program, services }, host);
  } catch (thrown) {
    printError(thrown, host.output);
    return 1;
  }
}

/** Returns the arguments with `help <command>` written as `<command> --help`. Without arguments, returns `help`. */
function withoutHelpCommand([first = "help", ...args]: readonly string[]): readonly [name: string, ...args: string[]] {
  const name = first === "--help" || first === "-h" ? "help" : first;
  const [subject, ...others] = args;
  const isHelpOfCommand = name === "help" && subject?.startsWith("-") === false && others.length === 0;
  return isHelpOfCommand ? [subject, "--help"] : [name, ...args];
}

function isHelpRequested(args: readonly string[]): boolean {
  const separatorIndex = args.indexOf("--");
  if (separatorIndex === -1 && args.at(-1) === "help") return true;
  return (separatorIndex === -1 ? args : args.slice(0, separatorIndex)).some((arg) => arg === "--help" || arg === "-h");
}
