import { errors } from "./errors.ts";

// Largest first: the order in which a text must name them.
const units: readonly (readonly [name: string, ms: number])[] = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

const pattern = new RegExp(`^(?=.)${units.map(([name]) => String.raw`(?:(\d+(?:\.\d+)?)${name})?`).join("")}$`);

/** A number of seconds, in milliseconds. */
export const seconds = (count: number): number => count * 1000;
/** A number of minutes, in milliseconds. */
export const minutes = (count: number): number => count * 60_000;
/** A number of hours, in milliseconds. */
export const hours = (count: number): number => count * 3_600_000;
/** A number of days of 24 hours, in milliseconds. */
export const days = (count: number): number => count * 86_400_000;
/** A number of weeks of seven days, in milliseconds. */
export const weeks = (count: number): number => count * 604_800_000;

/**
 * Gives the milliseconds of a text such as `"500ms"`, `"5m"`, `"1.5h"` or `"1h30m"`.
 *
 * Units are `w`, `d`, `h`, `m`, `s` and `ms`, from large to small, each at most once, without spaces. A bare number
 * is refused, because nobody can see its unit. The result is rounded to whole milliseconds.
 *
 * @throws E_DURATION_INVALID for any other text.
 */
export function parseDuration(text: string): number {
  const counts = pattern.exec(text)?.slice(1);
  const total = counts?.reduce((sum, count, index) => sum + Number(count ?? 0) * (units[index]?.[1] ?? 0), 0);
  if (total === undefined || !Number.isSafeInteger(Math.round(total))) throw errors.E_DURATION_INVALID(text);
  return Math.round(total);
}

/**
 * Writes milliseconds as `parseDuration` reads them: `5_400_000` gives `"1h30m"`, zero gives `"0ms"`. Weeks are written as
 * days: `"30d"` is easier to read than `"4w2d"`.
 */
export function formatDuration(duration: number): string {
  let rest = Math.round(duration);
  let text = "";
  for (const [name, ms] of units) {
    if (name === "w") continue;
    if (rest >= ms) text += `${Math.floor(rest / ms)}${name}`;
    rest %= ms;
  }
  return text === "" ? "0ms" : text;
}
