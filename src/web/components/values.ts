import { html, type Html, type HtmlValue, isHtml } from "../../html/index.ts";
import type { Texts } from "./texts.ts";

/** Renders a point in time in UTC, to the minute. */
export function timestamp(time: Date | null | undefined): Html | undefined {
  if (time === undefined || time === null) return undefined;
  const text = time.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/**
 * Renders a value of a list or of a page: a time in UTC, a boolean as a word, an object as JSON. Nothing is a dash, and for
 * screen readers a word, as many of them skip a dash.
 */
export function renderValue(value: unknown, { yes, no, none }: Pick<Texts, "yes" | "no" | "none">): HtmlValue {
  if (value instanceof Date) return timestamp(value);
  if (typeof value === "boolean") return value ? yes : no;
  if (isBlankValue(value))
    return html`<span class="meta" aria-hidden="true">–</span><span class="visually-hidden">${none}</span>`;
  return typeof value === "object" && value !== null && !isHtml(value) && !Array.isArray(value)
    ? JSON.stringify(value)
    : (value as HtmlValue);
}

/** Returns true for a value that is shown as a dash. */
export const isBlankValue = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
