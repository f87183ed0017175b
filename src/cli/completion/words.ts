import type { Command } from "../../core/index.ts";

/**
 * The words that may follow a command, as far as its usage lists them: the words that its alternatives begin with
 * (`status` and `down` of `[--json] | status | down [<count>]`), its flags, and the names of commands for `[command]`.
 */
export function wordsAfter({ usage }: Command.Command, names: readonly string[]): string[] {
  const actions = usage
    .split(" | ")
    .flatMap((alternative) => /^[a-z][\w-]*(?:\|[a-z][\w-]*)*(?= |$)/.exec(alternative)?.[0].split("|") ?? []);
  const flags = usage.match(/--[a-z][\w-]*/g) ?? [];
  const others = usage === "[command]" ? names : [];
  return [...new Set([...actions, ...others, ...flags, "--help"])];
}
