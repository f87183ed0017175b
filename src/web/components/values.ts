import { BoundedMap } from "../../core/index.ts";
import { html, type Html, type HtmlValue, isHtml } from "../../html/index.ts";
import { Language, LanguageInternals } from "../../language/index.ts";

// A user may choose the time zone, in any letter case.
const maxFormatters = 200;

/** Returns a function that makes a formatter once for each language and time zone. */
function formatterOf<F>(make: (language: string, timeZone: string) => F): (language: string, timeZone: string) => F {
  const formatters = new BoundedMap<string, F>(maxFormatters);
  return (language, timeZone) =>
    formatters.getOrInsertComputed(`${language} ${timeZone}`, () => make(language, timeZone));
}

const timeFormat = formatterOf(
  (language, timeZone) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone }),
);
const dateFormat = formatterOf(
  (language, timeZone) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone }),
);
// No separators of thousands: a year has none.
const numberFormat = formatterOf(
  (language) => new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false }),
);

/** Renders a point in time to the minute, in the time zone of the context, otherwise in UTC. */
export function timestamp(time: Date | null | undefined): Html | undefined {
  if (time === undefined || time === null) return undefined;
  const text = time.toISOString();
  return html`<time datetime="${text}">${timeText(time, text)}</time>`;
}

function timeText(time: Date, text: string): string {
  const [language, zone] = [LanguageInternals.frameworkLanguage(), Language.timeZone()];
  if (zone !== undefined) return timeFormat(language, zone).format(time);
  const shown = language === "en" ? text.slice(0, 16).replace("T", " ") : timeFormat(language, "UTC").format(time);
  return `${shown} UTC`;
}

/** Renders a calendar date: `2026-12-31` in English. */
export function calendarDate(date: string): HtmlValue {
  const language = LanguageInternals.frameworkLanguage();
  const day = language === "en" ? undefined : new Date(`${date}T00:00Z`);
  if (day === undefined || Number.isNaN(day.getTime())) return date;
  return html`<time datetime="${date}">${dateFormat(language, "UTC").format(day)}</time>`;
}

/** Renders a value: a boolean as a word, an object as JSON, nothing as a dash that is read as a word. */
export function renderValue(value: unknown): HtmlValue {
  if (value instanceof Date) return timestamp(value);
  if (typeof value === "boolean") {
    const { yes, no } = LanguageInternals.frameworkTexts().components;
    return value ? yes : no;
  }
  if (typeof value === "number" && !Number.isInteger(value)) {
    const language = LanguageInternals.frameworkLanguage();
    return language === "en" ? value : numberFormat(language, "").format(value);
  }
  if (!hasValue(value)) {
    const { none } = LanguageInternals.frameworkTexts().components;
    return html`<span class="meta" aria-hidden="true">–</span><span class="visually-hidden">${none}</span>`;
  }
  return typeof value === "object" && value !== null && !isHtml(value) && !Array.isArray(value)
    ? JSON.stringify(value)
    : (value as HtmlValue);
}

/** Returns false for a value that is shown as a dash. */
export const hasValue = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
