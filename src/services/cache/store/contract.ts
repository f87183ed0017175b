import type { CancellableOptions, ContextOptions } from "../../../core/index.ts";
import type { RateLimitAttempt } from "../../../token-bucket/index.ts";

/** Kinds of entries, each with its own keys: values, locks of `getOrSet`, locks of `lock`, buckets of rate limits. */
export type EntryKind = "value" | "compute" | "lock" | "rate-limit";

/** Address of an entry. The context key `pool` is part of it. */
export interface EntryKey extends ContextOptions {
  readonly kind: EntryKind;
  readonly key: string;
}

/** A stored entry. Times are milliseconds since 1970-01-01T00:00:00Z; `undefined` means no expiry. */
export interface CacheEntry {
  readonly value: string;
  /** Time at which the value expires. */
  readonly expiresAt: number | undefined;
  /** Time from which the entry may be deleted: at or after `expiresAt`. */
  readonly keptUntil: number | undefined;
}

/** Storage backend of a cache. Each operation is atomic for all clients of the store. */
export interface CacheStore {
  /** Returns an entry, including an expired one that is not deleted yet. */
  findOpt(entryKey: EntryKey): Promise<CacheEntry | undefined>;
  set(entryKey: EntryKey, entry: CacheEntry): Promise<void>;
  /** Writes an entry unless one exists that is unexpired at `now`. Returns true if it was written. */
  setIfAbsent(entryKey: EntryKey, entry: CacheEntry, now: number): Promise<boolean>;
  /**
   * Adds `by` to an integer value and returns the sum. An entry that is missing or expired at `now` is replaced by `entry`,
   * whose value is `by`. Returns `undefined` if the value is not an integer.
   */
  increment(entryKey: EntryKey, by: number, entry: CacheEntry, now: number): Promise<number | undefined>;
  /** Sets the expiry of an entry that has this value and is unexpired at `now`. Returns true if it was set. */
  extend(entryKey: EntryKey, value: string, until: number, now: number): Promise<boolean>;
  /** Deletes an entry, or only one with this value. Returns true if an entry unexpired at `now` was deleted. */
  remove(entryKey: EntryKey, now: number, value?: string): Promise<boolean>;
  /**
   * Consumes a token, if one is available. An entry stores `fullAt`, the time at which its bucket is full again, in
   * microseconds. `from` is that time, at least `nowUs` and at most `nowUs + capacityUs`; `nowUs` without an entry. A token
   * is available if `from + costUs <= nowUs + capacityUs`. Consuming it stores and returns `from + costUs`.
   */
  consume(
    entryKey: EntryKey,
    attempt: RateLimitAttempt,
  ): Promise<{ readonly isAllowed: boolean; readonly fullAt: number }>;
  /** Deletes the values whose keys begin with `prefix`, or the entries of all kinds if `isAll`. Returns their number. */
  clear(options: ContextOptions & { readonly prefix: string; readonly isAll: boolean }): Promise<number>;
  /** Deletes the entries whose `keptUntil` is at or before `now`. Returns their number. */
  purge(now: number, options: CancellableOptions): Promise<number>;
}
