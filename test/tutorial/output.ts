import { stripVTControlCharacters } from "node:util";

/**
 * Returns the output of a command as a chapter shows it: without colours, without the lines that npm prints before a script,
 * and with `~` for the folder that contains the project.
 */
export function shownOutput(output: string, folder: string): string {
  return `${stripVTControlCharacters(output)
    .replaceAll(/^\n?> .*\n> .*\n\n?/gm, "")
    .replaceAll(folder, "~")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd()}\n`;
}

/**
 * Returns true if a command printed what a chapter shows. A line with `…` stands for any number of lines, `…` in a line for
 * any text. Numbers, ids, tokens and dates differ from run to run: any other number matches.
 */
export function matchesOutput(expected: string, shown: string): boolean {
  const pattern = expected
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${linePattern(line)}\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(shown);
}

const variables = /(?:lmt_…|lmt_[\w-]+)|[0-9a-f]{8}-[0-9a-f-]{27}|\d+(?:\.\d+)?|…/g;

function linePattern(line: string): string {
  let [pattern, end] = ["", 0];
  for (const match of line.matchAll(variables)) {
    pattern += escapeText(line.slice(end, match.index)) + variablePattern(match[0]);
    end = match.index + match[0].length;
  }
  return pattern + escapeText(line.slice(end));
}

function variablePattern(text: string): string {
  if (text.startsWith("lmt_")) return "lmt_[\\w-]+";
  if (text === "…") return ".*";
  return text.includes("-") ? "[0-9a-f-]{36}" : "\\d+(?:\\.\\d+)?";
}

const escapeText = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
