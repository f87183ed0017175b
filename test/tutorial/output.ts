import { stripVTControlCharacters } from "node:util";

/**
 * Returns the output of a command as a chapter shows it: without colours, without the lines that npm prints before a script,
 * with `~` for the folder that contains the project, and with the default port.
 */
export function shownOutput(output: string, folder: string): string {
  return `${stripVTControlCharacters(output)
    .replaceAll(/^\n?> .*\n> .*\n\n?/gm, "")
    .replaceAll(folder, "~")
    .replaceAll(/http:\/\/localhost:\d+/g, "http://localhost:3000")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd()}\n`;
}

/**
 * Compares the output of a command with the output that a chapter shows. A line with `…` stands for any number of lines, `…`
 * in a line for any text. Numbers, ids, tokens and dates differ from run to run: any other number matches.
 *
 * Returns the text of the chapter with the numbers of this output, or `undefined` if the outputs differ.
 */
export function matchOutput(expected: string, shown: string): string | undefined {
  const lines = expected.trimEnd().split("\n");
  const pattern = lines.map((line) => (line.trim() === "…" ? "(?:.*\n)*?()" : `(${linePattern(line)})\n`)).join("");
  const match = new RegExp(`^${pattern}$`).exec(shown);
  if (match === null) return undefined;
  return lines.map((line, index) => `${line.includes("…") ? line : match[index + 1]}\n`).join("");
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
