// Entry point `limmat/messageformat`: texts with plurals, selection, numbers, dates, times and lists.
import { createRequire } from "node:module";
import type { MessageFormat, MessageMarkupPart, MessagePart, MessageSyntaxError } from "messageformat";
import type { DefaultFunctions, DraftFunctions, MessageFunction, MessageNumber } from "messageformat/functions";
import { BoundedMap, isPackageMissing, lazy } from "../../core/index.ts";
import { type Html, html } from "../../html/index.ts";
import { currentTimeZone } from "../context.ts";
import { errors } from "../errors.ts";
import type { Formatter } from "../language.ts";
import { formatMarkup, type Values } from "../template.ts";
import { Time } from "../../time/index.ts";

type AnyFunction = MessageFunction<string>;

/** Returns a function that formats in the time zone of the current context. */
const inTimeZone =
  (format: AnyFunction): AnyFunction =>
  (context, options, input) => {
    const timeZone = currentTimeZone();
    return format(context, timeZone === undefined ? options : { timeZone, ...options }, input);
  };

/** Options of a number: those of `Intl`, and `select`. */
type NumberOptions = Intl.NumberFormatOptions & { readonly select?: "exact" | Intl.PluralRuleType };

// Options may be values of visitors, such as a currency.
const maxFormats = 500;

/** Returns a function that makes a format once for each language and each value of the options: that takes 10 µs or more. */
function formatsOf<Format>(make: (locales: readonly string[], options: NumberOptions) => Format): typeof make {
  const formats = new BoundedMap<string, Format>(maxFormats);
  return (locales, options) =>
    formats.getOrInsertComputed(`${locales.join()} ${JSON.stringify(options)}`, () => make(locales, options));
}

/** Returns a wrapper of the functions of numbers, whose results share formats. */
function numberFormatter(): (format: AnyFunction) => AnyFunction {
  const numberFormat = formatsOf((locales, options) => new Intl.NumberFormat([...locales], options));
  const pluralRules = formatsOf(
    (locales, { select = "cardinal", ...options }) =>
      new Intl.PluralRules([...locales], { ...options, type: select as Intl.PluralRuleType }),
  );
  return (format) => (context, given, input) => {
    const number = format(context, given, input) as MessageNumber;
    const { locales } = context;
    const options = number.options as NumberOptions;
    const value = number.valueOf();
    const selectKey = (keys: Set<string>): string | null => {
      if (keys.has(String(value))) return String(value);
      const category = options.select === "exact" ? "" : pluralRules(locales, options).select(Number(value));
      return keys.has(category) ? category : null;
    };
    return {
      type: "number",
      // Without isolates (`bidiIsolation` below), the direction is not read.
      dir: "auto",
      options,
      // Percentages are selected by another number than their value.
      selectKey: options.style === "percent" || number.selectKey === undefined ? number.selectKey : selectKey,
      toString: () => numberFormat(locales, options).format(value),
      toParts: () => [
        { type: "number", locale: locales[0], parts: numberFormat(locales, options).formatToParts(value) },
      ],
      valueOf: () => value,
    } as MessageNumber;
  };
}

/** Returns a function whose result is a text. */
const asText =
  (
    format: (locales: readonly string[], options: Readonly<Record<string, unknown>>, input: unknown) => string,
  ): AnyFunction =>
  ({ locales, dir }, options, input) => {
    const value = format(locales, options, input);
    return {
      type: "string",
      ...(dir === undefined ? {} : { dir }),
      toString: () => value,
      toParts: () => [{ type: "string", value, locale: locales[0] ?? "" }],
    };
  };

const list = asText((locales, options, input) => {
  const type = options["type"] === "or" ? "disjunction" : "conjunction";
  return new Intl.ListFormat([...locales], { type }).format((input as readonly unknown[]).map(String));
});

const units = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Formats a time relative to now, in the largest unit that fits: `3 days ago`. */
const relative = asText((locales, _options, input) => {
  const seconds = (new Date(input as Date | string).getTime() - Time.now().getTime()) / 1000;
  const [unit, size] = units.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? ["second", 1];
  return new Intl.RelativeTimeFormat([...locales], { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
});

/** The package, loaded when a text needs it. @throws E_LANGUAGE_LIBRARY_MISSING */
const loadLibrary = lazy(() => {
  const require = createRequire(import.meta.url);
  let all: { readonly DefaultFunctions: typeof DefaultFunctions; readonly DraftFunctions: typeof DraftFunctions };
  let constructors: { readonly MessageFormat: typeof MessageFormat };
  try {
    constructors = require("messageformat") as typeof constructors;
    all = require("messageformat/functions") as typeof all;
  } catch (cause) {
    if (isPackageMissing(cause, "messageformat"))
      throw errors.E_LANGUAGE_LIBRARY_MISSING("messageformat", "4").causedBy(cause);
    throw cause;
  }
  const { date, time, datetime, string, ...numbers } = { ...all.DefaultFunctions, ...all.DraftFunctions };
  const withFormats = numberFormatter();
  const functions: Readonly<Record<string, AnyFunction>> = {
    ...Object.fromEntries(Object.entries(numbers).map(([name, format]) => [name, withFormats(format)])),
    string,
    date: inTimeZone(date),
    time: inTimeZone(time),
    datetime: inTimeZone(datetime),
    list,
    relative,
  };
  return { ...constructors, functions };
});

/**
 * Formats messages of MessageFormat 2, with the functions `:number`, `:integer`, `:percent`, `:currency`, `:unit`, `:offset`, `:date`,
 * `:time`, `:datetime`, `:string`, and two of its own: `:list` (of texts; `type=or`) and `:relative` (to now).
 *
 * `Language.make("en", { en, de }, { format: messageFormat })`
 *
 * @throws E_LANGUAGE_LIBRARY_MISSING, E_LANGUAGE_TEXT for a message that cannot be parsed, E_LANGUAGE_VALUE_MISSING from the formatted text
 */
export const messageFormat: Formatter = (text, language, path) => {
  const library = loadLibrary();
  let message: MessageFormat<string>;
  try {
    message = new library.MessageFormat<string>(language, text, {
      bidiIsolation: "none",
      functions: library.functions,
    });
  } catch (failure) {
    const { start, message: reason } = failure as MessageSyntaxError;
    throw errors.E_LANGUAGE_TEXT(path, start ?? 0, `is no message of MessageFormat 2 (${reason})`).causedBy(failure);
  }
  /** Runs a formatter, and throws the first error that it reports. */
  const report = <Result>(run: (onError: (failure: unknown) => void) => Result): Result => {
    let first: unknown;
    const result = run((failure) => (first ??= failure));
    if (first !== undefined) throw toError(first, path);
    return result;
  };
  if (!/\{[#/]/.test(text)) return (values) => report((onError) => message.format({ ...values }, onError));
  return (values) =>
    toHtml(
      report((onError) => message.formatToParts({ ...values }, onError)),
      values,
      path,
    );
};

function toError(failure: unknown, path: string): Error {
  const { type, source = "", message } = failure as Error & { readonly type?: string; readonly source?: string };
  return type === "unresolved-variable"
    ? errors.E_LANGUAGE_VALUE_MISSING(path, source.replace("$", ""))
    : errors.E_LANGUAGE_TEXT(path, 0, `cannot be formatted (${message})`).causedBy(failure);
}

/** Escapes the parts of a message, and calls the functions of its markup. */
function toHtml(parts: readonly MessagePart<string>[], values: Values, path: string): Html {
  let content: (Html | string)[] = [];
  const open: { readonly name: string; readonly before: (Html | string)[] }[] = [];
  for (const part of parts) {
    if (!isMarkup(part)) content.push(textOf(part));
    else if (part.kind === "standalone") content.push(formatMarkup(part.name, html``, values, path));
    else if (part.kind === "open") {
      open.push({ name: part.name, before: content });
      content = [];
    } else {
      const element = open.pop();
      if (element?.name !== part.name) {
        throw errors.E_LANGUAGE_TEXT(path, 0, `closes {/${part.name}}, which is not open,`);
      }
      content = [...element.before, formatMarkup(part.name, html`${content}`, values, path)];
    }
  }
  const last = open.at(-1);
  if (last !== undefined) throw errors.E_LANGUAGE_TEXT(path, 0, `does not close {#${last.name}}`);
  return html`${content}`;
}

const isMarkup = (part: MessagePart<string>): part is MessageMarkupPart => part.type === "markup";

/** Returns the text of a part, which may consist of parts itself, as a number does. */
function textOf(part: MessagePart<string>): string {
  const { value, parts } = part as {
    readonly value?: unknown;
    readonly parts?: readonly { readonly value: unknown }[];
  };
  return parts === undefined ? String(value) : parts.map((item) => String(item.value)).join("");
}
