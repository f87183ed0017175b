import type { Command, Lifecycle, Service } from "../core/index.ts";
import { errors } from "./errors.ts";

/** What the runner runs. */
export interface Program {
  /** The services of the application. Those that they depend on count, too. */
  readonly services: readonly Service.Service[];
  /** The commands that whoever calls the runner adds to those of the framework. */
  readonly builtIn: readonly Command.Command[];
  /** The commands of the application. */
  readonly commands: readonly Command.Command[];
  /** Starts services that a command depends on; not called for a command that depends on none. */
  readonly start: (
    services: readonly Service.Service[],
    command: Command.Command,
    options: Lifecycle.StartOptions,
  ) => Promise<Lifecycle.Running>;
}

const valid = /^[a-z][a-z0-9_-]*([.:][a-z0-9_-]+)*$/;

/**
 * Gathers the commands of the framework, of the services and of the application, sorted by name.
 *
 * No command replaces another: a name that means one thing here and another there would surprise whoever comes next.
 *
 * @throws E_COMMAND_NAME_TAKEN when two commands have one name, E_COMMAND_NAME_INVALID when a name is not in the dot style.
 */
export function gather(
  builtIn: readonly Command.Command[],
  services: readonly Service.Service[],
  own: readonly Command.Command[],
): Command.Command[] {
  const owners = new Map<string, string>();
  const add = (owner: string, command: Command.Command): Command.Command => {
    const { name } = command;
    const taken = owners.get(name);
    if (taken !== undefined) throw errors.E_COMMAND_NAME_TAKEN(name, taken, owner);
    if (!valid.test(name)) throw errors.E_COMMAND_NAME_INVALID(name, owner);
    owners.set(name, owner);
    return command;
  };
  return [
    ...builtIn.map((command) => add("limmat", command)),
    ...services.flatMap(({ name, commands }) => commands.map((command) => add(`the service "${name}"`, command))),
    ...own.map((command) => add("the application", command)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}
