import type { Command } from "../core/index.ts";
import { commandList } from "./help.ts";
import { suggest } from "./suggest.ts";

/** Returns the message for an unknown command: the commands of the group with that name, or similar command names. */
export function unknownCommandMessage(name: string, commands: readonly Command.Command[], program: string): string {
  const group = commands.filter((command) => command.name.startsWith(`${name}.`));
  if (group.length > 0) return `"${name}" is a group of commands.\n\n${commandList(group, program)}`;
  const suggestions = suggest(
    name,
    commands.map((command) => command.name),
  ).map((candidate) => `"${candidate}"`);
  const hint = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
  return `There is no command "${name}".${hint}\n"${program} help" lists all commands.`;
}
