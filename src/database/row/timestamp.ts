import { errors } from "../errors.ts";

const endMs = Date.UTC(10_000, 0, 1);
const startMs = -62_135_596_800_000; // 0001-01-01

// Cache of the last second and its day. Most stored timestamps are the current time, which takes 0.07 µs. Another second
// of the same day takes 0.2 instead of 1 µs.
let lastSecond = { second: Number.NaN, text: "", day: Number.NaN, date: "" };

const digits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));

/**
 * Formats a date as `2026-01-31 12:00:00.000`, in UTC. The text sorts in time order, and the date functions of all
 * databases accept it.
 *
 * @throws E_SQL_VALUE for an invalid date or a date outside the years 1 to 9999.
 */
export function formatTimestamp(date: Date): string {
  const timeMs = date.getTime();
  if (!(timeMs >= startMs && timeMs < endMs)) {
    throw errors.E_SQL_VALUE(
      Number.isNaN(timeMs) ? "an invalid date" : `the date ${date.toISOString()}`,
      "Dates must lie between the years 1 and 9999.",
    );
  }
  const second = Math.floor(timeMs / 1000);
  if (second !== lastSecond.second) lastSecond = formatSecond(date, second);
  const ms = timeMs - second * 1000;
  return lastSecond.text + (ms < 100 ? String(ms).padStart(3, "0") : ms);
}

/** Formats the second of a date as `2026-01-31 12:00:00.`. */
function formatSecond(time: Date, second: number): typeof lastSecond {
  const day = Math.floor(second / 86_400);
  const date = day === lastSecond.day ? lastSecond.date : time.toISOString().slice(0, 10);
  const seconds = second - day * 86_400;
  const minutes = Math.floor(seconds / 60);
  const text = `${date} ${digits[Math.floor(minutes / 60)]}:${digits[minutes % 60]}:${digits[seconds % 60]}.`;
  return { second, text, day, date };
}

/** Parses a UTC timestamp, such as `2026-01-31 12:00:00.123456+00`, to the millisecond; `undefined` for other text. */
export function parseTimestamp(text: string): Date | undefined {
  // Parses character by character, which is several times faster than a regular expression with groups.
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!hasSeparators(text) || !(year >= 0 && hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return undefined;

  let end = 19;
  let fractionMs = 0;
  if (text.charCodeAt(end) === point) {
    const start = ++end;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end === start) return undefined;
    for (let digit = 0; digit < 3; digit++) {
      fractionMs = fractionMs * 10 + (start + digit < end ? text.charCodeAt(start + digit) - zero : 0);
    }
  }
  if (text.length > end && !isUtc(text.slice(end))) return undefined;

  return new Date(
    daysSinceEpoch(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs,
  );
}

/**
 * Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. Counts years from March on, so that the
 * leap day is the last day of a year.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shiftedYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shiftedYear / 4) - Math.floor(shiftedYear / 100) + Math.floor(shiftedYear / 400);
  return shiftedYear * 365 + leapDays + dayOfYear - 719_468;
}

const zero = 48;
const dash = 45;
const colon = 58;
const point = 46;
const space = 32;
const letterT = 84;

const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;
const isUtc = (zone: string): boolean => zone === "Z" || zone === "+00" || zone === "+00:00" || zone === "+0000";

function hasSeparators(text: string): boolean {
  const separator = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === dash &&
    text.charCodeAt(7) === dash &&
    (separator === space || separator === letterT) &&
    text.charCodeAt(13) === colon &&
    text.charCodeAt(16) === colon
  );
}

/** Returns the number of two digits at an index, or `NaN`. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index);
  const ones = text.charCodeAt(index + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - zero) * 10 + ones - zero : Number.NaN;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
