import { error, ok, type Result } from "../core/index.ts";
import { type Field, field, type FieldOptions } from "./field.ts";
import type { Messages } from "./messages.ts";

const datePattern = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const datetimePattern =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?$/;

/** Makes a date field. Its value is a string, `"2026-12-31"`, as `<input type="date">` sends it. Years 0001 to 9999. */
export function date(options?: FieldOptions<string>): Field<string> {
  return field(
    {
      kind: "date",
      jsonSchema: { type: "string", format: "date" },
      decode: (input, messages) => (isDate(input) ? ok(input) : error(messages.date)),
      decodeJson: (input, messages) => (typeof input === "string" && isDate(input) ? ok(input) : error(messages.date)),
    },
    options,
  );
}

/**
 * Makes a field of a date and time. Its value is a `Date`, to the millisecond.
 *
 * It accepts RFC 3339 (`2026-12-31T18:30:00Z`), and the format without an offset that `<input type="datetime-local">`
 * sends. A time without an offset is UTC. A form shows UTC.
 */
export function datetime(options?: FieldOptions<Date>): Field<Date> {
  const decode = (input: unknown, messages: Messages): Result<Date> => {
    const value = typeof input === "string" ? parseDatetime(input) : undefined;
    return value === undefined ? error(messages.datetime) : ok(value);
  };
  const jsonSchema = { type: "string", format: "date-time" };
  return field({ kind: "datetime", decode, decodeJson: decode, encode: datetimeInputText, jsonSchema }, options);
}

/** Returns true for a day of the calendar: JavaScript parses February 30 as March 2. */
function isDate(text: string): boolean {
  const day = new Date(datePattern.test(text) ? text : Number.NaN);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && text >= "0001";
}

function parseDatetime(text: string): Date | undefined {
  const [, dateText, hour, minute, second = "00", fraction = "0", offset = "Z"] = datetimePattern.exec(text) ?? [];
  if (dateText === undefined || !isDate(dateText)) return undefined;
  // A Date cannot represent a leap second. Hour 24 would be hour 0 of the next day.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  const value = new Date(`${dateText}T${hour}:${minute}:${second}.${milliseconds}${offset.toUpperCase()}`);
  const year = value.getUTCFullYear();
  return Number.isNaN(value.getTime()) || year < 1 || year > 9999 ? undefined : value;
}

function datetimeInputText(value: Date): string {
  return value.toISOString().replace(/(?::00)?\.000Z$|Z$/, "");
}
