import type { Command, Lifecycle, Service } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Program of the command runner: services, commands, and the function that starts services. */
export interface Program {
  /** Services of the application. Their dependencies are included automatically. */
  readonly services: readonly Service.Service[];
  /** Commands that the caller adds to the commands of the framework. */
  readonly builtIn: readonly Command.Command[];
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
export function collectCommands(
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
