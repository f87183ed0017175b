import type { Command } from "../core/index.ts";
import { listOf } from "./help.ts";
import { suggest } from "./suggest.ts";

/** What is said about a name that no command has: the commands of the group, or those that may have been meant. */
export function unknown(name: string, commands: readonly Command.Command[], program: string): string {
  const group = commands.filter((command) => command.name.startsWith(`${name}.`));
  if (group.length > 0) return `"${name}" is a group of commands.\n\n${listOf(group, program)}`;
  const meant = suggest(
    name,
    commands.map((command) => command.name),
  ).map((candidate) => `"${candidate}"`);
  const hint = meant.length === 0 ? "" : ` Did you mean ${meant.join(" or ")}?`;
  return `There is no command "${name}".${hint}\n"${program} help" lists them all.`;
}
