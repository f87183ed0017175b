import type { Entry } from "./entry.ts";
import { logState } from "./state.ts";

// Control characters, which a terminal obeys, line separators and bidirectional marks.
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const nonPrintable = /[^ -~]/;
const shortEscapes: Readonly<Record<string, string>> = {
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
};

/** Formats an entry as one line of JSON with a line feed. The line is cached: several reporters format the same entry. */
export function formatJson(entry: Entry): string {
  if (logState.lastEntry === entry) return logState.lastLine;
  const { time, level, source, message, fields } = entry;
  const line = `${sanitize(JSON.stringify({ time: isoTime(time), level, source, message, ...fields }))}\n`;
  logState.lastEntry = entry;
  logState.lastLine = line;
  return line;
}

/**
 * Formats an entry for people: one line, then the indented stack of its error. Control characters are escaped, so only the
 * first line of an event begins with a time.
 */
export function formatText(entry: Entry, hasColors: boolean): string {
  const colorize = (color: number, text: string): string => (hasColors ? `\u001b[${color}m${text}\u001b[39m` : text);
  const { error, ...others } = entry.fields;
  let text = `${isoTime(entry.time)} ${colorize(levelColors[entry.level], entry.level.toUpperCase().padEnd(7))} `;
  text += `${colorize(35, sanitize(entry.source))} ${sanitize(entry.message)}`;
  for (const name of Object.keys(others)) {
    const value = others[name];
    if (value !== undefined) text += ` ${colorize(90, `${sanitize(name)}=`)}${formatValue(value)}`;
  }
  return error === undefined ? `${text}\n` : `${text}\n${formatError(error, "    ")}`;
}

const levelColors = { error: 31, warning: 33, info: 34, debug: 32 };

function formatValue(value: unknown): string {
  return sanitize(typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

function formatError(error: unknown, indent: string): string {
  if (typeof error !== "object" || error === null) return `${indent}${formatValue(error)}\n`;
  const { name, message, code, stack, cause, errors, ...others } = error as Record<string, unknown>;
  if (typeof message !== "string") return `${indent}${formatValue(error)}\n`;
  let text = `${indent}${sanitize(`${String(name)}: ${message}`)}${code === undefined ? "" : ` (${formatValue(code)})`}\n`;
  if (Object.keys(others).length > 0) text += `${indent}${formatValue(others)}\n`;
  for (const frame of shownFrames(stack)) text += `${indent}  ${sanitize(frame)}\n`;
  for (const inner of [cause, ...(Array.isArray(errors) ? errors : [])]) {
    if (inner !== undefined) text += `${indent}caused by\n${formatError(inner, `${indent}  `)}`;
  }
  return text;
}

const internalFrame = /[\\/]node_modules[\\/]limmat[\\/]|[( ]node:/;

/** Returns the frames of a stack without those of the framework and of Node, unless there are no others. */
function shownFrames(stack: unknown): readonly string[] {
  const frames = (typeof stack === "string" ? stack.split("\n") : []).filter((line) => /^ +at /.test(line));
  const ownFrames = frames.filter((frame) => !internalFrame.test(frame));
  return (ownFrames.length > 0 ? ownFrames : frames).map((frame) => frame.trim());
}

/** Escapes control characters against log injection and terminal escape sequences. */
function sanitize(text: string): string {
  return nonPrintable.test(text) ? text.replace(controlCharacters, escapeCharacter) : text;
}

function escapeCharacter(character: string): string {
  return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isoTime(time: number): string {
  if (time !== logState.lastTime) {
    logState.lastTimeText = new Date(time).toISOString();
    logState.lastTime = time;
  }
  return logState.lastTimeText;
}
