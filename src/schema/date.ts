import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";

const day = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const moment =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?$/;

/** A day of the calendar as a text, `"2026-12-31"`, as `<input type="date">` sends it. Years 0001 to 9999. */
export function date(options?: FieldOptions<string>): Field<string> {
  return field(
    {
      kind: "date",
      jsonSchema: { type: "string", format: "date" },
      decode: (input, messages) => (isDay(input) ? ok(input) : error(messages.date)),
      decodeJson: (input, messages) => (typeof input === "string" && isDay(input) ? ok(input) : error(messages.date)),
    },
    options,
  );
}

/**
 * A moment as a `Date`, to the millisecond: RFC 3339 (`2026-12-31T18:30:00Z`), or without an offset, as
 * `<input type="datetime-local">` sends it. A time without an offset is taken as UTC, and a form shows UTC.
 */
export function datetime(options?: FieldOptions<Date>): Field<Date> {
  const decode = (input: unknown, messages: Messages): Result<Date> => {
    const value = typeof input === "string" ? momentOf(input) : undefined;
    return value === undefined ? error(messages.datetime) : ok(value);
  };
  const jsonSchema = { type: "string", format: "date-time" };
  return field({ kind: "datetime", decode, decodeJson: decode, encode: localText, jsonSchema }, options);
}

function isDay(text: string): boolean {
  const [, year, month, dayOfMonth] = day.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || dayOfMonth === undefined || year === 0) return false;
  const days = month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= days;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function momentOf(text: string): Date | undefined {
  const [, onDay, hour, minute, second = "00", fraction = "0", offset = "Z"] = moment.exec(text) ?? [];
  if (onDay === undefined || !isDay(onDay)) return undefined;
  // A leap second is no moment of a Date, and hour 24 is another day's hour 0.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  const value = new Date(`${onDay}T${hour}:${minute}:${second}.${milliseconds}${offset.toUpperCase()}`);
  const year = value.getUTCFullYear();
  return Number.isNaN(value.getTime()) || year < 1 || year > 9999 ? undefined : value;
}

function localText(value: Date): string {
  return value.toISOString().replace(/(?::00)?\.000Z$|Z$/, "");
}
