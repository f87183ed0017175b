import type { Entry } from "./entry.ts";

// Controls (a terminal obeys them), line separators, and marks that change the direction of writing.
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const unusual = /[^ -~]/;
const short: Readonly<Record<string, string>> = { "\n": String.raw`\n`, "\r": String.raw`\r`, "\t": String.raw`\t` };
// A quote ends a URL: without it, a match could reach into the next field of a line of JSON.
const credentials = /(:\/\/[^\s/:@"]*):[^\s/@"]*@/g;

let latest: { readonly entry: Entry; readonly line: string } | undefined;

/** Writes an entry as one line of JSON, with its line feed. Several reporters of one entry share the work. */
export function jsonLine(entry: Entry): string {
  if (latest?.entry === entry) return latest.line;
  const { time, level, source, message, fields } = entry;
  const line = `${harmless(JSON.stringify({ time: isoTime(time), level, source, message, ...fields }))}\n`;
  latest = { entry, line };
  return line;
}

/**
 * Writes an entry for people: one line, and under it the stack of its error, indented. Only a line that is an event
 * begins with a time, because controls in whatever was given are escaped.
 */
export function textLine(entry: Entry, colors: boolean): string {
  const paint = (color: number, text: string): string => (colors ? `\u001b[${color}m${text}\u001b[39m` : text);
  const { error, ...others } = entry.fields;
  let text = `${isoTime(entry.time)} ${paint(colorOf[entry.level], entry.level.toUpperCase().padEnd(7))} `;
  text += `${paint(35, harmless(entry.source))} ${harmless(entry.message)}`;
  for (const name of Object.keys(others)) {
    const value = others[name];
    if (value !== undefined) text += ` ${paint(90, `${harmless(name)}=`)}${fieldText(value)}`;
  }
  return error === undefined ? `${text}\n` : `${text}\n${errorText(error, "    ")}`;
}

const colorOf = { error: 31, warning: 33, info: 34, debug: 32 };

function fieldText(value: unknown): string {
  return harmless(typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

function errorText(error: unknown, indent: string): string {
  if (typeof error !== "object" || error === null) return `${indent}${fieldText(error)}\n`;
  const { name, message, code, stack, cause, errors, ...others } = error as Record<string, unknown>;
  if (typeof message !== "string") return `${indent}${fieldText(error)}\n`;
  let text = `${indent}${harmless(`${String(name)}: ${message}`)}${code === undefined ? "" : ` (${fieldText(code)})`}\n`;
  if (Object.keys(others).length > 0) text += `${indent}${fieldText(others)}\n`;
  for (const frame of typeof stack === "string" ? stack.split("\n") : []) {
    if (/^ +at /.test(frame)) text += `${indent}  ${harmless(frame.trim())}\n`;
  }
  for (const inner of [cause, ...(Array.isArray(errors) ? errors : [])]) {
    if (inner !== undefined) text += `${indent}caused by\n${errorText(inner, `${indent}  `)}`;
  }
  return text;
}

/** Escapes controls, so that a text can neither end a line nor command a terminal, and blanks passwords in URLs. */
export function harmless(text: string): string {
  const escaped = unusual.test(text) ? text.replace(controls, escape) : text;
  return escaped.includes("://") ? escaped.replace(credentials, "$1:[redacted]@") : escaped;
}

function escape(mark: string): string {
  return short[mark] ?? `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

let latestTime = Number.NaN;
let latestTimeText = "";

function isoTime(time: number): string {
  if (time !== latestTime) {
    latestTimeText = new Date(time).toISOString();
    latestTime = time;
  }
  return latestTimeText;
}
