import { suppressUnhandledRejection } from "../core/index.ts";
import type { AttributeKind } from "./attribute.ts";
import { errors } from "./errors.ts";
import { escape, jsonText, scriptText } from "./escape.ts";
import { type Html, isHtml, isSafeJson, type SafeJson } from "./safe.ts";
import { encodeSchemeColon, safeSrcset, safeUrl } from "./url.ts";

/** Value of a template. Lists print their items, HTML and JSON as they are, `undefined`, `null` and `false` nothing. */
export type HtmlValue = Html | SafeJson | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/** Function that prints a value at one position of a template. */
export type Printer = (value: unknown) => string;

/** Prints a value between tags. */
export function printText(value: unknown): string {
  if (typeof value === "string") return escape(value);
  if (isHtml(value)) return value.toString();
  if (!Array.isArray(value)) return primitiveText(value);
  let printed = "";
  for (const item of value) printed += printText(item);
  return printed;
}

/** Prints a value in a quoted attribute, in `<title>`, and in `<textarea>` after its first character. */
export function printPlainText(value: unknown): string {
  return typeof value === "string" ? escape(value) : primitiveText(value);
}

/** Prints a value in a comment. Hyphens are escaped, because `--` can end a comment. */
export const printComment: Printer = (value) => printPlainText(value).replaceAll("-", "&#45;");

/** Prints a value at the start of a `<textarea>`, where HTML drops one line break. */
export function printTextarea(value: unknown): string {
  const printed = printPlainText(value);
  return /^[\r\n]/.test(printed) ? `\n${printed}` : printed;
}

/** Prints a value in an executable script, as a JavaScript expression. */
export const printScript: Printer = (value) => scriptText(withoutHtml(value));

/** Prints a value in a data script, as JSON. */
export const printJson: Printer = (value) => jsonText(withoutHtml(value));

/** Prints a value in a style sheet: words, numbers and colours. */
export const printStyle: Printer = (value) => safeStyle(plainText(value));

/** Prints a later part of a URL that may not have reached the end of its scheme. */
export const printUrlPart: Printer = (value) => escape(encodeSchemeColon(plainText(value)));

/** Printers of attribute values, between quotes. */
export const attributePrinters: Readonly<Record<Exclude<AttributeKind, "restricted" | "boolean">, Printer>> = {
  plain: printPlainText,
  // ARIA has no boolean attributes: `true` and `false` are keywords (WAI-ARIA 1.2 §6.2).
  aria: (value) => (value === false ? "false" : printPlainText(value)),
  url: (value) => escape(safeUrl(plainText(value))),
  srcset: (value) => escape(safeSrcset(plainText(value))),
  style: (value) => escape(safeStyle(plainText(value))),
  script: (value) => escape(scriptText(withoutHtml(value))),
  // A space in front of `js:`, which is case-sensitive, separates it from the quote.
  message: (value) => printPlainText(value).replace(/^(?=j)/, " "),
  trigger: (value) => escape(safeTrigger(plainText(value))),
  // The attribute contains a document: text is escaped twice, HTML once.
  document: (value) => escape(printText(value)),
};

/**
 * Returns the printer of an optional attribute. It prints nothing for `false`, `null` and `undefined`, the name alone
 * for `true` (`="true"` for `aria-…`), otherwise name and value.
 */
export function optionalPrinter(name: string, kind: Exclude<AttributeKind, "restricted">): Printer {
  const textIfTrue = kind === "aria" ? ` ${name}="true"` : ` ${name}`;
  return (value) => {
    if (value === true) return textIfTrue;
    if (value === false || value === undefined || value === null) return "";
    if (kind !== "boolean") return ` ${name}="${attributePrinters[kind](value)}"`;
    throw errors.E_HTML_VALUE(
      `${describeType(value)} as the attribute "${name}"`,
      "It is a boolean attribute: give true or false.",
    );
  };
}

function primitiveText(value: unknown): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "number" || typeof value === "bigint" || value === true) return String(value);
  throw valueError(value);
}

const plainText = (value: unknown): string => (typeof value === "string" ? value : primitiveText(value));

function withoutHtml(value: unknown): unknown {
  if (isHtml(value) || value instanceof Promise || typeof value === "function") throw valueError(value);
  return value;
}

// Allows no character that could end a declaration, a rule or a string, open a function or a comment, or escape another.
/** Returns a CSS value if it is safe, otherwise the word `refused`, which no property accepts. */
export const safeStyle = (text: string): string => (/^[\w #%.,+!-]*$/.test(text) ? text : "refused");

/** Returns events of `hx-trigger` if they have no filter, otherwise the word `refused`, an event that never occurs. */
const safeTrigger = (text: string): string => (text.includes("[") ? "refused" : text);

function valueError(value: unknown): Error {
  if (isHtml(value)) {
    return errors.E_HTML_VALUE(
      "HTML in this position",
      "HTML is allowed between tags; attributes, titles and scripts take text.",
    );
  }
  if (value instanceof Promise) {
    suppressUnhandledRejection(value);
    return errors.E_HTML_VALUE("a promise", "Await it first, or use html.stream, which awaits its values.");
  }
  if (isSafeJson(value)) return errors.E_HTML_VALUE("json(…) in this position", "JSON is allowed in a script.");
  if (Array.isArray(value)) return errors.E_HTML_VALUE("a list in this position", 'Join it to a text: list.join(" ").');
  if (value instanceof Date) return errors.E_HTML_VALUE("a date", "Format it: date.toISOString(), or with Intl.");
  return errors.E_HTML_VALUE(
    describeType(value),
    "Give a text, a number, HTML, or a list of these. Print data in a script with json(…).",
  );
}

function describeType(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const { constructor } = Object.getPrototypeOf(value) ?? {};
  return typeof constructor === "function" && constructor !== Object ? `an object of ${constructor.name}` : "an object";
}
