import { styleText } from "node:util";
import type { Command } from "../core/index.ts";

const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const dim = (text: string): string => styleText("dim", text, { validateStream: false });

const called = (command: Command.Command): string => `${command.name} ${command.usage}`.trimEnd();

/** How one command is used: its line of usage, then what it does. */
export function helpOf(command: Command.Command, program: string): string {
  return `${bold("Usage:")} ${program} ${called(command)}\n\n${command.description}`;
}

/** The list of commands: those without a dot first, then one block for each group (`todo` of `todo.add`). */
export function listOf(commands: readonly Command.Command[], program: string): string {
  const groupOf = ({ name }: Command.Command): string => (name.includes(".") ? name.slice(0, name.indexOf(".")) : "");
  const groups = Map.groupBy(commands, groupOf);
  const width = Math.min(40, Math.max(0, ...commands.map((command) => called(command).length)));
  const lineOf = (command: Command.Command): string => {
    const usage = `${command.name} ${dim(command.usage)}`;
    const gap =
      called(command).length > width ? `\n${" ".repeat(width + 2)}` : " ".repeat(width - called(command).length);
    return `  ${command.usage === "" ? command.name : usage}${gap}  ${command.description}`;
  };
  const blocks = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, members]) => [...(group === "" ? [] : [bold(group)]), ...members.map(lineOf)].join("\n"));
  return [
    `${bold("Usage:")} ${program} <command> [arguments]`,
    ...blocks,
    `"${program} <command> help" shows how a command is used.`,
  ].join("\n\n");
}
