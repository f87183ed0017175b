import type { ContextOptions } from "../../../core/index.ts";
import { errors } from "../errors.ts";
import type { CacheEntry, EntryKey, EntryKind } from "../store/contract.ts";

const maxKeyLength = 255;
const maxValueBytes = 8 * 1024 * 1024;
// 100 years: any sum with the current time stays within the date range of every database.
const maxDurationMs = 100 * 365 * 86_400_000;

/** Returns the key if it is valid as a key or key prefix. Throws E_CACHE_KEY. */
export function checkKey(key: string): string {
  if (key === "") throw errors.E_CACHE_KEY("is empty");
  if (key.length > maxKeyLength) throw errors.E_CACHE_KEY(`has ${key.length} characters`);
  if (/\p{Cc}/u.test(key)) throw errors.E_CACHE_KEY("has a control character");
  if (!key.isWellFormed()) throw errors.E_CACHE_KEY("has a lone surrogate");
  return key;
}

/** Returns the value if every store can hold it. Throws E_CACHE_VALUE. */
export function checkValue(value: string): string {
  if (typeof value !== "string") throw errors.E_CACHE_VALUE("it is not text; use Cache.typed for other types");
  if (value.includes("\0")) throw errors.E_CACHE_VALUE("it contains the character NUL; Cache.typed can store it");
  if (!value.isWellFormed()) throw errors.E_CACHE_VALUE("it contains a lone surrogate; Cache.typed can store it");
  // A UTF-16 code unit takes at most 3 bytes in UTF-8, so only longer texts need a byte count.
  if (value.length > maxValueBytes / 3 && Buffer.byteLength(value) > maxValueBytes) {
    throw errors.E_CACHE_VALUE(`it has more than ${maxValueBytes} bytes in UTF-8`);
  }
  return value;
}

/** Returns a duration in milliseconds, rounded up, if it is valid. Throws E_CACHE_OPTION. */
export function checkDuration(name: string, durationMs: number, min: 0 | 1 = 1): number {
  const roundedMs = Math.ceil(durationMs);
  if (!(roundedMs >= min && roundedMs <= maxDurationMs)) {
    throw errors.E_CACHE_OPTION(
      name,
      durationMs,
      `milliseconds, ${min === 1 ? "more than 0" : "0 or more"}, and at most 100 years`,
    );
  }
  return roundedMs;
}

/** Returns the address of an entry. */
export function toEntryKey(kind: EntryKind, key: string, { ctx }: ContextOptions = {}): EntryKey {
  return ctx === undefined ? { kind, key } : { kind, key, ctx };
}

/** Creates an entry that is written at `now`. Throws E_CACHE_OPTION. */
export function createEntry(value: string, now: number, expiresInMs: number | undefined, graceMs = 0): CacheEntry {
  if (expiresInMs === undefined) return { value, expiresAt: undefined, keptUntil: undefined };
  const expiresAt = now + checkDuration("expiresInMs", expiresInMs);
  return { value, expiresAt, keptUntil: expiresAt + checkDuration("graceMs", graceMs, 0) };
}

/** True if the entry is not expired. */
export function isFresh({ expiresAt }: CacheEntry, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** True if the entry is fresh or within its grace period. */
export function isKept({ keptUntil }: CacheEntry, now: number): boolean {
  return keptUntil === undefined || keptUntil > now;
}

/** Parses a safe integer in JavaScript's canonical notation; returns `undefined` for other texts. */
export function parseInteger(text: string): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : undefined;
}
