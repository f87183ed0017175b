import { errors } from "./errors.ts";

const latest = Date.UTC(10_000, 0, 1);
const earliest = -62_135_596_800_000; // 0001-01-01

// Most moments that are stored are now: they share their second with the one before.
let lastSecond = Number.NaN;
let lastText = "";

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
  const second = Math.floor(time / 1000);
  if (second !== lastSecond) {
    const text = date.toISOString();
    lastText = `${text.slice(0, 10)} ${text.slice(11, 20)}`;
    lastSecond = second;
  }
  return lastText + String(time - second * 1000).padStart(3, "0");
}

/**
 * The point in time of a text in UTC, such as `2026-01-31 12:00:00.123456+00`, cut to the millisecond; `undefined` for
 * any other text.
 */
export function parseTimestamp(text: string): Date | undefined {
  // Read sign by sign: a regular expression with groups takes a multiple of the time, and pages have many timestamps.
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  if (!hasSeparators(text) || !(year >= 0 && hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) return undefined;

  let end = 19;
  let milliseconds = 0;
  if (text.charCodeAt(end) === point) {
    const start = ++end;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end === start) return undefined;
    for (let place = 0; place < 3; place++) {
      milliseconds = milliseconds * 10 + (start + place < end ? text.charCodeAt(start + place) - zero : 0);
    }
  }
  if (text.length > end && !isUtc(text.slice(end))) return undefined;

  return new Date(
    daysUntil(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds,
  );
}

/** How many days a date of the Gregorian calendar lies after 1970-01-01. The year is taken to begin in March. */
function daysUntil(year: number, month: number, day: number): number {
  const from = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return from * 365 + Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400) + dayOfYear - 719_468;
}

const zero = 48;
const dash = 45;
const colon = 58;
const point = 46;

const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;
const isUtc = (zone: string): boolean => zone === "Z" || zone === "+00" || zone === "+00:00" || zone === "+0000";

function hasSeparators(text: string): boolean {
  const between = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === dash &&
    text.charCodeAt(7) === dash &&
    (between === 32 || between === 84) && // a space or T
    text.charCodeAt(13) === colon &&
    text.charCodeAt(16) === colon
  );
}

/** The number of two digits, or `NaN`. */
function pair(text: string, index: number): number {
  const tens = text.charCodeAt(index);
  const ones = text.charCodeAt(index + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - zero) * 10 + ones - zero : Number.NaN;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
