import { relative, sep } from "node:path";
import { styleText } from "node:util";
import { type Frame, sourceExcerpt } from "../core/stack.ts";

/** Error that ended the start of the application, as the terminal and the browser show it. */
export interface Failure {
  /** Statement of the problem; mostly one sentence. */
  readonly message: string;
  /** Lines of source text that the error is about, the first one first. */
  readonly locations: readonly SourceLocation[];
  /** Remedy, in one sentence. */
  readonly hint?: string | undefined;
  /** Calls that led to the first location, the innermost first: `insert (app/domain/todo/todo.ts:7:9)`. */
  readonly calls?: readonly string[];
}

/** Position in a source file. */
export interface SourceLocation {
  /** Absolute path. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1; `undefined` if only the line is known. */
  readonly column?: number | undefined;
}

const contextLines = 2;
const maxSourceLength = 160;

/** Returns a path relative to the root of the project, with `/` as separator. A path outside of it stays absolute. */
export function projectPath(file: string, root: string): string {
  return file.startsWith(root + sep) ? relative(root, file).split(sep).join("/") : file;
}

/** Returns the frame of a call as text: `insert (app/domain/todo/todo.ts:7:9)`. */
export function frameText({ name, file, line, column }: Frame, root: string): string {
  const position = `${projectPath(file, root)}:${line}:${column}`;
  return name === "" ? position : `${name} (${position})`;
}

/** Renders a failure as text without control characters: message, locations with their source, hint and calls. */
export function failureText({ message, locations, hint, calls = [] }: Failure, root: string): string {
  const parts = [
    [message, ...locations.slice(0, 1).map((location) => locationLine(location, root))].join("\n"),
    ...locations.slice(0, 1).map(sourceFrame),
    ...locations.slice(1).flatMap((location) => [locationLine(location, root), sourceFrame(location)]),
    hint === undefined ? "" : `Hint: ${hint}`,
    calls.length === 0 ? "" : ["Called by:", ...calls.map((call) => `  ${call}`)].join("\n"),
  ];
  return withoutControls(parts.filter((part) => part !== "").join("\n\n"));
}

const locationLine = ({ file, line, column }: SourceLocation, root: string): string =>
  `  at ${projectPath(file, root)}:${line}${column === undefined ? "" : `:${column}`}`;

/** Renders a line with the lines around it and a mark below the column; empty if the file cannot be read. */
export function sourceFrame({ file, line, column = 0 }: SourceLocation): string {
  const excerpt = sourceExcerpt({ file, line }, contextLines);
  const width = String(excerpt.at(-1)?.number ?? 0).length;
  return excerpt
    .flatMap(({ number, text }) => {
      const source = text.slice(0, maxSourceLength);
      const row = `${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd();
      if (number !== line || column < 1 || column > source.length + 1) return [row];
      // Tabs stay tabs, so that the mark stands below its column.
      const indent = source.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
      return [row, `  ${" ".repeat(width)} | ${indent}^`];
    })
    .join("\n");
}

/** Removes control characters and bidirectional marks, except line feeds and tabs. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- terminals interpret these characters
  return text.replaceAll(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** Kind of a line of a failure's text, which selects its colour in the terminal and in the browser. */
export type LineKind = "message" | "location" | "marked" | "code" | "hint" | "text";

/** Returns the kind of a line. Runs in the browser as well, so that it refers to nothing outside of it. */
export function lineKind(line: string, index: number): LineKind {
  if (index === 0) return "message";
  if (/^ {2}at /.test(line)) return "location";
  if (/^> +\d+ \|/.test(line)) return "marked";
  if (/^ +\d* \|/.test(line)) return "code";
  return line.startsWith("Hint: ") ? "hint" : "text";
}

const lineStyles = {
  message: ["bold", "red"],
  location: "cyan",
  marked: "bold",
  code: "dim",
  hint: "green",
  text: "reset",
} as const;

/** Colours the text of a failure for a terminal. */
export function styleFailure(text: string): string {
  return text
    .split("\n")
    .map((line, index) => {
      const kind = lineKind(line, index);
      return line === "" || kind === "text" ? line : styleText([lineStyles[kind]].flat(), line);
    })
    .join("\n");
}
