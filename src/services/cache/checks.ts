import type { Quota } from "../../token-bucket/index.ts";
import { errors } from "./errors.ts";
import type { Entry } from "./contract.ts";

const maxKeyLength = 255;
const maxValueBytes = 8 * 1024 * 1024;
// A hundred years: what is added to today stays within what every database has dates for.
const maxDuration = 100 * 365 * 86_400_000;

/** The text, if it can be (the beginning of) a key. Throws E_CACHE_KEY. */
export function checkKey(key: string): string {
  if (key === "") throw errors.E_CACHE_KEY("is empty");
  if (key.length > maxKeyLength) throw errors.E_CACHE_KEY(`has ${key.length} characters`);
  if (/\p{Cc}/u.test(key)) throw errors.E_CACHE_KEY("has a control character");
  if (!key.isWellFormed()) throw errors.E_CACHE_KEY("has half of a surrogate pair");
  return key;
}

/** The text, if every store can keep it. Throws E_CACHE_VALUE. */
export function checkValue(value: string): string {
  if (typeof value !== "string") throw errors.E_CACHE_VALUE("it is no text; take Cache.typed for other types");
  if (value.includes("\0")) throw errors.E_CACHE_VALUE("it contains the character NUL; Cache.typed keeps it");
  if (!value.isWellFormed()) throw errors.E_CACHE_VALUE("it contains half of a surrogate pair; Cache.typed keeps it");
  // Up to a third of the limit, no text can be over it.
  if (value.length > maxValueBytes / 3 && Buffer.byteLength(value) > maxValueBytes) {
    throw errors.E_CACHE_VALUE(`it has more than ${maxValueBytes} bytes in UTF-8`);
  }
  return value;
}

/** The milliseconds, rounded up, if they can be a duration. Throws E_CACHE_OPTION. */
export function checkDuration(name: string, duration: number, from: 0 | 1 = 1): number {
  const rounded = Math.ceil(duration);
  if (!(rounded >= from && rounded <= maxDuration)) {
    throw errors.E_CACHE_OPTION(
      name,
      duration,
      `milliseconds, ${from === 1 ? "more than 0" : "0 or more"}, and at most 100 years`,
    );
  }
  return rounded;
}

/** The number, if it can be added. Throws E_CACHE_OPTION. */
export function checkAmount(by: number): number {
  if (!Number.isSafeInteger(by)) throw errors.E_CACHE_OPTION("by", by, "a safe integer");
  return by;
}

/** The quota, if it can be kept. Throws E_CACHE_OPTION. */
export function checkQuota(quota: Quota): Quota {
  if (!(Number.isInteger(quota.limit) && quota.limit > 0 && quota.limit <= 1e9)) {
    throw errors.E_CACHE_OPTION("limit", quota.limit, "a whole number from 1 to 1,000,000,000");
  }
  checkDuration("period", quota.period);
  return quota;
}

/** The entry of a value that is written now and lives so long. */
export function entryOf(value: string, now: number, expiresIn: number | undefined, grace = 0): Entry {
  if (expiresIn === undefined) return { value, expiresAt: undefined, keptUntil: undefined };
  const expiresAt = now + checkDuration("expiresIn", expiresIn);
  return { value, expiresAt, keptUntil: expiresAt + checkDuration("grace", grace, 0) };
}

/** Whether the entry is not over. */
export function isFresh({ expiresAt }: Entry, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** Whether the entry is there, over or not. */
export function isKept({ keptUntil }: Entry, now: number): boolean {
  return keptUntil === undefined || keptUntil > now;
}

/** The number that a text is, if it is a whole number as JavaScript writes it. */
export function numberOf(text: string): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : undefined;
}
