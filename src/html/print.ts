import type { Meaning } from "./attribute.ts";
import { errors } from "./errors.ts";
import { escape } from "./escape.ts";
import { jsonText, scriptText } from "./json.ts";
import { type Html, isHtml, isJson, type Json } from "./safe.ts";
import { safeSrcset, safeUrl, withoutScheme } from "./url.ts";

/**
 * What a template prints. `undefined`, `null` and `false` print nothing, a list prints its items one after the other,
 * everything else but HTML and JSON prints as text.
 */
export type HtmlValue = Html | Json | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/** Prints a value at one place of a template. */
export type Printer = (value: unknown) => string;

/** Between tags. */
export function printText(value: unknown): string {
  if (typeof value === "string") return escape(value);
  if (isHtml(value)) return value.toString();
  if (!Array.isArray(value)) return plain(value);
  let printed = "";
  for (const item of value) printed += printText(item);
  return printed;
}

/** In a quoted attribute, `<title>`, and `<textarea>` but for its start. */
export function printPlain(value: unknown): string {
  return typeof value === "string" ? escape(value) : plain(value);
}

/** In a comment, which `--` could end. */
export const printComment: Printer = (value) => printPlain(value).replaceAll("-", "&#45;");

/** At the start of a `<textarea>`, where HTML drops one line end. */
export function printTextarea(value: unknown): string {
  const printed = printPlain(value);
  return /^[\r\n]/.test(printed) ? `\n${printed}` : printed;
}

/** In an executable script: an expression of JavaScript. */
export const printScript: Printer = (value) => scriptText(withoutHtml(value));

/** In a script that holds data. */
export const printJson: Printer = (value) => jsonText(withoutHtml(value));

/** In a style sheet: words, numbers, colours. */
export const printStyle: Printer = (value) => safeStyle(plainText(value));

/** In a URL that may not have come to the end of its scheme. */
export const printUrlRest: Printer = (value) => escape(withoutScheme(plainText(value)));

/** The printer of an attribute's value, between quotes. */
export const attributePrinters: Readonly<Record<Exclude<Meaning, "refused" | "boolean">, Printer>> = {
  plain: printPlain,
  // ARIA has no attributes that are just there: true and false are words.
  aria: (value) => (value === false ? "false" : printPlain(value)),
  url: (value) => escape(safeUrl(plainText(value))),
  srcset: (value) => escape(safeSrcset(plainText(value))),
  style: (value) => escape(safeStyle(plainText(value))),
  script: (value) => escape(scriptText(withoutHtml(value))),
  // The attribute holds a document, so a text is escaped twice and HTML once.
  document: (value) => escape(printText(value)),
};

/**
 * Prints an optional attribute with its name: nothing for `false`, `null` and `undefined`, the name alone for `true`
 * (`="true"` for `aria-…`, which has no other way to say it), else name and value.
 */
export function optionalPrinter(name: string, meaning: Exclude<Meaning, "refused">): Printer {
  const whenTrue = meaning === "aria" ? ` ${name}="true"` : ` ${name}`;
  return (value) => {
    if (value === true) return whenTrue;
    if (value === false || value === undefined || value === null) return "";
    if (meaning !== "boolean") return ` ${name}="${attributePrinters[meaning](value)}"`;
    throw errors.E_HTML_VALUE(
      `${described(value)} as the attribute "${name}"`,
      "It is there or not: give true or false.",
    );
  };
}

function plain(value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "number" || typeof value === "bigint" || value === true) return String(value);
  throw refusal(value);
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : plain(value);
}

function withoutHtml(value: unknown): unknown {
  if (isHtml(value) || value instanceof Promise || typeof value === "function") throw refusal(value);
  return value;
}

// No character that could end a declaration, a rule or a string, open a function or a comment, or escape another.
/** A value of CSS, or the word `refused`, which no property takes. */
export const safeStyle = (text: string): string => (/^[\w #%.,+!-]*$/.test(text) ? text : "refused");

function refusal(value: unknown): Error {
  if (isHtml(value)) {
    return errors.E_HTML_VALUE("HTML in this place", "It goes between tags; attributes, titles and scripts take text.");
  }
  if (value instanceof Promise) {
    return errors.E_HTML_VALUE("a promise", "Await it before, or use html.stream, which waits for its values.");
  }
  if (isJson(value)) return errors.E_HTML_VALUE("json(…) in this place", "It goes into a script.");
  if (Array.isArray(value)) return errors.E_HTML_VALUE("a list in this place", 'Join it to a text: list.join(" ").');
  if (value instanceof Date) return errors.E_HTML_VALUE("a date", "Format it: date.toISOString(), or with Intl.");
  return errors.E_HTML_VALUE(
    described(value),
    "Give a text, a number, HTML, or a list of these; data goes in by json(…).",
  );
}

function described(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const { constructor } = Object.getPrototypeOf(value) ?? {};
  return typeof constructor === "function" && constructor !== Object ? `an object of ${constructor.name}` : "an object";
}
