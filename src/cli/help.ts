import { styleText } from "node:util";
import type { Command } from "../core/index.ts";

const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const dim = (text: string): string => styleText("dim", text, { validateStream: false });

const called = (command: Command.Command): string => `${command.name} ${command.usage}`.trimEnd();

/** How one command is used: its line of usage, then what it does, then what else there is to know. */
export function helpOf(command: Command.Command, program: string): string {
  const usage = `${bold("Usage:")} ${program} ${called(command)}`;
  return [usage, command.description, ...(command.details === undefined ? [] : [command.details])].join("\n\n");
}

// A list is read down its columns: a long usage would push them off the screen.
const briefly = ({ usage }: Command.Command): string => (usage.length > 24 ? "…" : usage);

/**
 * The list of commands: those without a dot first, then one block for each group (`todo` of `todo.add`). What they do is
 * broken into lines of at most `columns` characters, where that leaves room for it.
 */
export function listOf(commands: readonly Command.Command[], program: string, columns: number = Infinity): string {
  const groupOf = ({ name }: Command.Command): string => (name.includes(".") ? name.slice(0, name.indexOf(".")) : "");
  const shown = commands.map((command) => [command, briefly(command)] as const);
  const width = Math.max(0, ...shown.map(([{ name }, usage]) => `${name} ${usage}`.length));
  const edge = width + 4;
  const lineOf = ([{ name, description }, usage]: readonly [Command.Command, string]): string => {
    const [first = "", ...more] = broken(description, Math.max(columns - edge, narrowest));
    const head = `  ${name} ${dim(usage)}${" ".repeat(width - `${name} ${usage}`.length)}  ${first}`;
    return [head, ...more.map((line) => " ".repeat(edge) + line)].join("\n");
  };
  const blocks = [...Map.groupBy(shown, ([command]) => groupOf(command))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, members]) => [...(group === "" ? [] : [bold(group)]), ...members.map(lineOf)].join("\n"));
  return [
    `${bold("Usage:")} ${program} <command> [arguments]`,
    ...blocks,
    `"${program} <command> help" shows how a command is used.`,
  ].join("\n\n");
}

// Below that, a terminal's own line breaks are no worse.
const narrowest = 24;

/** A text in lines of at most so many characters; a longer word has a line of its own. */
function broken(text: string, longest: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= longest) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
