import { errors } from "./errors.ts";

// In descending order, which a text must follow.
const units: readonly (readonly [name: string, ms: number])[] = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

const durationPattern = new RegExp(`^(?=.)${units.map(([name]) => String.raw`(?:(\d+(?:\.\d+)?)${name})?`).join("")}$`);

/** Converts seconds to milliseconds. */
export const seconds = (count: number): number => count * 1000;
/** Converts minutes to milliseconds. */
export const minutes = (count: number): number => count * 60_000;
/** Converts hours to milliseconds. */
export const hours = (count: number): number => count * 3_600_000;
/** Converts days of 24 hours to milliseconds. */
export const days = (count: number): number => count * 86_400_000;

/**
 * Parses a duration such as `"500ms"`, `"5m"`, `"1.5h"` or `"1h30m"` to milliseconds.
 *
 * Units are `w`, `d`, `h`, `m`, `s` and `ms`, from large to small, each at most once, without spaces. A number without a
 * unit is refused, because it is ambiguous. The result is rounded to whole milliseconds.
 *
 * @throws E_DURATION_INVALID for any other text.
 */
export function parseDuration(text: string): number {
  const counts = durationPattern.exec(text)?.slice(1);
  const total = counts?.reduce((sum, count, index) => sum + Number(count ?? 0) * (units[index]?.[1] ?? 0), 0);
  if (total === undefined || !Number.isSafeInteger(Math.round(total))) throw errors.E_DURATION_INVALID(text);
  return Math.round(total);
}

/** Formats milliseconds for `parseDuration`: `5_400_000` gives `"1h30m"`, 30 days give `"30d"`, zero gives `"0ms"`. */
export function formatDuration(durationMs: number): string {
  let remainingMs = Math.round(durationMs);
  let text = "";
  for (const [name, ms] of units) {
    if (name === "w") continue;
    if (remainingMs >= ms) text += `${Math.floor(remainingMs / ms)}${name}`;
    remainingMs %= ms;
  }
  return text === "" ? "0ms" : text;
}
