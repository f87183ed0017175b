import { styleText } from "node:util";
import { type Command, suggest } from "../core/index.ts";

const bold = (text: string): string => styleText("bold", text, { validateStream: false });
const dim = (text: string): string => styleText("dim", text, { validateStream: false });

const maxUsageColumns = 100;
const usageTitle = "Usage:";

/** Formats the usage: one line for each alternative, wrapped between arguments. */
function usageText({ name, usage }: Command.Command, program: string): string {
  const indent = " ".repeat(usageTitle.length + 1);
  const command = `${program} ${name} `;
  const lines = alternativesOf(usage).flatMap((alternative) => {
    const [first = "", ...others] = wrapWords(
      argumentsOf(alternative),
      maxUsageColumns - indent.length - command.length,
    );
    return [`${command}${first}`.trimEnd(), ...others.map((line) => " ".repeat(command.length) + line)];
  });
  return `${bold(usageTitle)} ${lines.join(`\n${indent}`)}`;
}

/** Splits a usage at the bars that stand outside of brackets: `[--json] | status [--check | --json]`. */
const alternativesOf = (usage: string): readonly string[] => joinBrackets(usage.split(" | "), " | ");

/** Splits the arguments of a usage. Words in brackets stay together. */
const argumentsOf = (usage: string): readonly string[] => joinBrackets(usage.split(" "), " ");

/** Joins the parts of a text that are within one pair of brackets. */
function joinBrackets(parts: readonly string[], separator: string): readonly string[] {
  const joined: string[] = [];
  let depth = 0;
  for (const part of parts) {
    if (depth > 0) joined.push(`${joined.pop()}${separator}${part}`);
    else joined.push(part);
    depth += (part.match(/[[<]/g) ?? []).length - (part.match(/[\]>]/g) ?? []).length;
  }
  return joined;
}

/** Returns the options and words of a command's usage that are similar to arguments which it does not contain. */
function similarArguments(args: readonly string[], { usage }: Command.Command): readonly string[] {
  const words: readonly string[] = usage.replaceAll(/<[^>]*>/g, " ").match(/(?:--)?[a-z][a-z-]+/g) ?? [];
  const typed = args.map((arg) => arg.replace(/=.*/s, "")).filter((arg) => arg !== "--" && !words.includes(arg));
  return [...new Set(typed.flatMap((arg) => suggest(arg, words).slice(0, 1)))];
}

/**
 * Explains why a command returned without `Command.done`.
 *
 * A command that takes no arguments and got none has a bug: it does not return `Command.done`.
 */
function usageProblem(args: readonly string[], { name, usage }: Command.Command): string {
  const missing = missingArguments(usage, args.filter((arg) => !arg.startsWith("-")).length);
  if (missing.length > 0) return `Arguments are missing: ${missing.join(" ")}`;
  if (args.length > 0) return `Invalid arguments: ${args.join(" ")}`;
  return usage === "" ? `The command "${name}" did not return Command.done.` : "Arguments are missing.";
}

/**
 * Returns the required arguments that follow the first `count` arguments of a usage. A usage of several alternatives has
 * none.
 */
function missingArguments(usage: string, count: number): readonly string[] {
  if (alternativesOf(usage).length > 1) return [];
  return argumentsOf(usage)
    .filter((argument) => /^\[?</.test(argument))
    .slice(count)
    .filter((argument) => argument.startsWith("<"));
}

/**
 * Formats a problem, similar arguments, and the usage of the command. Without a problem, the command returned without
 * `Command.done`.
 */
export async function wrongUsageMessage(
  problem: string | undefined,
  command: Command.Command,
  args: readonly string[],
  program: string,
): Promise<string> {
  const similar = similarArguments(args, command).map((argument) => `"${argument}"`);
  const hint = similar.length === 0 ? "" : `\nDid you mean ${similar.join(" and ")}?`;
  return `${problem ?? usageProblem(args, command)}${hint}\n\n${await commandHelp(command, program)}`;
}

/** Formats the help of one command: usage, description, then details. */
export async function commandHelp(command: Command.Command, program: string): Promise<string> {
  const usage = usageText(command, program);
  const details = typeof command.details === "function" ? await command.details() : command.details;
  return [usage, command.description, ...(details === undefined ? [] : [details])].join("\n\n");
}

// A long usage would push the description column off the screen.
const shortUsage = ({ usage }: Command.Command): string => (usage.length > 24 ? "…" : usage);

/**
 * Formats the list of commands: commands without a dot first, then one block per group (`todo` of `todo.add`).
 *
 * Descriptions wrap at `columns` characters, but keep at least 24 columns.
 */
export function commandList(commands: readonly Command.Command[], program: string, columns: number = Infinity): string {
  const groupOf = ({ name }: Command.Command): string => (name.includes(".") ? name.slice(0, name.indexOf(".")) : "");
  const rows = commands.map((command) => [command, shortUsage(command)] as const);
  const width = Math.max(0, ...rows.map(([{ name }, usage]) => `${name} ${usage}`.length));
  const indentColumns = width + 4;
  const formatRow = ([{ name, description }, usage]: readonly [Command.Command, string]): string => {
    const [first = "", ...continuation] = wrapWords(
      description.split(" "),
      Math.max(columns - indentColumns, minDescriptionColumns),
    );
    const firstLine = `  ${name} ${dim(usage)}${" ".repeat(width - `${name} ${usage}`.length)}  ${first}`;
    return [firstLine, ...continuation.map((line) => " ".repeat(indentColumns) + line)].join("\n");
  };
  const blocks = [...Map.groupBy(rows, ([command]) => groupOf(command))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, rowsOfGroup]) => [...(group === "" ? [] : [bold(group)]), ...rowsOfGroup.map(formatRow)].join("\n"));
  return [
    `${bold(usageTitle)} ${program} <command> [arguments]`,
    ...blocks,
    `"${program} <command> help" shows the usage of a command.`,
  ].join("\n\n");
}

// In a narrower column, wrapping by the terminal reads no worse.
const minDescriptionColumns = 24;

/** Joins words to lines. A word longer than `maxColumns` gets its own line. */
function wrapWords(words: readonly string[], maxColumns: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && lastLine.length + 1 + word.length <= maxColumns)
      lines[lines.length - 1] = `${lastLine} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Services of the framework that bring commands, by the first word of the command, with the call that creates them. */
const commandServices: Readonly<Record<string, readonly [service: string, call: string]>> = {
  audit: ["audit trail", "Audit.service({ database })"],
  cache: ["cache service", "Cache.sql({ database })"],
  database: ["SQLite database service", "sqlite()"],
  email: ["e-mail service", "smtp()"],
  maintenance: ["HTTP service", "Web.Http.service({ router })"],
  migrate: ["migration service", "Migration.service({ database })"],
  openapi: ["HTTP service", "Web.Http.service({ router })"],
  queue: ["queue service", "Queue.sql({ database })"],
  webhook: ["webhook sender", "Webhook.sender({ database, queue, findEndpoint })"],
  routes: ["HTTP service", "Web.Http.service({ router })"],
  schedule: ["schedule service", "Schedule.service(schedules, { database })"],
  seed: ["seed service", "Seed.service({ database, seeds })"],
  token: ["token service", "Token.sql({ database })"],
  user: ["user service", "User.service({ database })"],
};

/** Formats the list of a group of commands (`todo` of `todo.add`). Returns `undefined` if there is no such group. */
export function groupHelp(name: string, commands: readonly Command.Command[], program: string): string | undefined {
  const group = commands.filter((command) => command.name.startsWith(`${name}.`));
  return group.length === 0 ? undefined : commandList(group, program);
}

/**
 * Returns the message for an unknown command: the commands of the group with that name, similar command names, or the
 * service that brings the command.
 */
export function unknownCommandMessage(name: string, commands: readonly Command.Command[], program: string): string {
  const group = groupHelp(name, commands, program);
  if (group !== undefined) return `"${name}" is a group of commands.\n\n${group}`;
  const [firstWord = ""] = name.split(".");
  const hasGroup = commands.some((command) => command.name.startsWith(`${firstWord}.`));
  const [service, call] = (!hasGroup && Object.hasOwn(commandServices, firstWord) && commandServices[firstWord]) || [];
  if (service !== undefined) {
    const hasGenerator = firstWord === "user" && commands.some((command) => command.name === "gen.auth");
    const generator = hasGenerator ? `\n"${program} gen.auth --wire" adds it, with pages for accounts.` : "";
    return `There is no command "${name}". It comes with the ${service}, ${call}, which the application does not list in its services.${generator}\n"${program} help" lists all commands.`;
  }
  const suggestions = suggest(
    name,
    commands.map((command) => command.name),
  ).map((candidate) => `"${candidate}"`);
  const hint = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
  return `There is no command "${name}".${hint}\n"${program} help" lists all commands.`;
}
