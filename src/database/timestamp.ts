import { errors } from "./errors.ts";

const pattern = /^(\d{4,5})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|\+00(?::?00)?)?$/;

const latest = Date.UTC(10_000, 0, 1);
const earliest = -62_135_596_800_000; // 0001-01-01

/**
 * `2026-01-31 12:00:00.000`: UTC, sorts as text, and is understood by the date functions of all databases.
 *
 * @throws E_SQL_VALUE for a date that is invalid or outside of the years 1 to 9999.
 */
export function formatTimestamp(date: Date): string {
  const time = date.getTime();
  if (!(time >= earliest && time < latest)) {
    throw errors.E_SQL_VALUE(
      Number.isNaN(time) ? "an invalid date" : `the date ${date.toISOString()}`,
      "Dates lie between the years 1 and 9999.",
    );
  }
  return date.toISOString().replace("T", " ").slice(0, 23);
}

/** The point in time of a text in UTC, cut to the millisecond, or `undefined`. */
export function parseTimestamp(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = ""] = match;
  const date = new Date(
    Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
      Number(fraction.padEnd(3, "0").slice(0, 3)),
    ),
  );
  // Date.UTC takes the years 0 to 99 for 1900 to 1999, and wraps what is out of range: 0000-00-00 is no date.
  if (Number(year) < 100) date.setUTCFullYear(Number(year));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date : undefined;
}
