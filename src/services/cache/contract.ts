import type { ContextOptions, Result, Service } from "../../core/index.ts";
import type { Attempt, Decision, Quota } from "../../token-bucket/index.ts";

/** How long an entry lives. */
export interface ExpiryOptions extends ContextOptions {
  /** Milliseconds until the entry is over, from when it is written. Without it, it stays until it is removed. */
  readonly expiresIn?: number;
}

/** What `getOrSet` is given. */
export interface GetOrSetOptions extends ContextOptions {
  /** Milliseconds until the value is made anew. */
  readonly expiresIn: number;
  /**
   * Milliseconds for which a value that is over is still given while one caller makes the next, and when making it fails.
   * Default 0.
   */
  readonly grace?: number;
}

/** What `increment` is given. */
export interface IncrementOptions extends ExpiryOptions {
  /** How much is added: a safe integer, which may be negative. Default 1. */
  readonly by?: number;
}

/** What `lock` is given. */
export interface LockOptions extends ContextOptions {
  /** Milliseconds to wait for another holder. Default 0: not at all. */
  readonly wait?: number;
  /** Milliseconds after which the lock of a process that died is free; a living one renews it. Default 30,000. */
  readonly lease?: number;
}

/** Which entries are removed at once. */
export interface ClearOptions extends ContextOptions {
  /** Only those whose keys begin with it, letter case and all. Default: all. */
  readonly prefix?: string;
}

/**
 * A key-value store for text, shared by all processes that use the same database or server. (The one in memory belongs
 * to its process.) `Cache.typed` makes of it one for values of other types.
 *
 * A key is 1 to 255 characters without control characters, compared character by character: letter case, accents and
 * spaces count. A value is text of at most 8 MiB in UTF-8, without NUL. What is over (by `Time`) is never given.
 *
 * The context key `pool` chooses the pool of a database; stores that have none keep the entries of each pool apart.
 *
 * Every operation throws E_CACHE_KEY, E_CACHE_VALUE or E_CACHE_OPTION for an argument that cannot be used, and, when the
 * store does not answer, an error of status 503: its own E_CACHE_UNAVAILABLE or that of its database.
 */
export interface Cache extends Service.Service {
  /** The value of a key; `undefined` when there is none or it is over. */
  find(key: string, options?: ContextOptions): Promise<string | undefined>;
  /** Writes a value, whatever was there, and its expiry with it. `undefined` removes the entry. */
  set(key: string, value: string | undefined, options?: ExpiryOptions): Promise<void>;
  /** Writes a value if the key has none. Of many callers at once, exactly one is given `true`. */
  setIfAbsent(key: string, value: string, options?: ExpiryOptions): Promise<boolean>;
  /**
   * The value of a key, or else what `make` gives, which is then kept. Callers who come while it is made wait for it:
   * it is made once per process, and as a rule once over all. What `make` throws is thrown, and nothing is kept.
   *
   * When the store does not answer, that is logged and the value is made: a cache that is down makes work, not failures.
   */
  getOrSet(key: string, options: GetOrSetOptions, make: () => Promise<string> | string): Promise<string>;
  /**
   * Adds to a whole number and gives the sum. A key without value counts from 0 and takes `expiresIn`; later calls leave
   * the expiry as it is. Sums stop at ±(2⁵³ − 1). Throws E_CACHE_NUMBER when the value is not a whole number.
   */
  increment(key: string, options?: IncrementOptions): Promise<number>;
  /** Removes an entry; tells whether there was one. Of many callers at once, exactly one is given `true`. */
  delete(key: string, options?: ContextOptions): Promise<boolean>;
  /** Removes all values, or those whose keys begin with a prefix, and tells how many. Locks and quotas stay. */
  clear(options?: ClearOptions): Promise<number>;
  /** Frees the space of what is over, and tells of how many entries. Done every five minutes by itself. */
  purge(options?: ContextOptions): Promise<number>;
  /**
   * Runs work that must run only once at a time over all processes. Gives its value, or the error `"locked"` when another
   * holds the lock for longer than `wait`. Keys of locks are not those of values.
   *
   * The lock is renewed while the work runs. If that fails (the store was away for longer than the lease), `signal` is
   * aborted: another may have begun.
   */
  lock<T>(
    key: string,
    options: LockOptions,
    work: (signal: AbortSignal) => Promise<T> | T,
  ): Promise<Result<T, "locked">>;
  /**
   * Takes one of the attempts that a quota allows, in one step: a token bucket per key, as `Web.Middleware.requestLimit`
   * wants it of its `store`. A refused attempt takes none. Any text is a key: it is kept as a hash, apart from the
   * keys of values. What was refused is refused again without asking the store, as long as no token can be back.
   */
  take(key: string, quota: Quota, options?: ContextOptions): Promise<Decision>;
}

/** Entries of different kinds never meet, whatever their keys. */
export type EntryKind = "value" | "maker" | "lock" | "quota";

/** Where an entry is. */
export interface Place extends ContextOptions {
  readonly kind: EntryKind;
  readonly key: string;
}

/** What is kept. Times are milliseconds since 1970-01-01T00:00:00Z; `undefined` means for ever. */
export interface Entry {
  readonly value: string;
  /** When the value is over. */
  readonly expiresAt: number | undefined;
  /** When its space may be freed; not before it is over. */
  readonly keptUntil: number | undefined;
}

/** What a backend provides. Each of its operations is one step for all who use the store. */
export interface CacheStore {
  /** The entry of a place, also when it is over but still there. */
  find(place: Place): Promise<Entry | undefined>;
  set(place: Place, entry: Entry): Promise<void>;
  /** Writes an entry unless there is one that is not over at `now`; tells whether it did. */
  add(place: Place, entry: Entry, now: number): Promise<boolean>;
  /**
   * Adds to the number of an entry and gives the sum. An entry that is missing or over at `now` becomes the given one, of
   * the value `by`. `undefined` when the value is not a whole number.
   */
  increment(place: Place, by: number, entry: Entry, now: number): Promise<number | undefined>;
  /** Moves the end of an entry that is not over at `now`, if it has this value; tells whether it did. */
  extend(place: Place, value: string, until: number, now: number): Promise<boolean>;
  /** Removes an entry, or only one of this value; tells whether there was one that was not over at `now`. */
  remove(place: Place, now: number, value?: string): Promise<boolean>;
  /** Takes a token if there is one (`takeFrom` of `src/token-bucket`); gives whether it did, and when the bucket is full again. */
  take(place: Place, attempt: Attempt): Promise<{ readonly isAllowed: boolean; readonly fullAt: number }>;
  /** Removes the values whose keys begin so, or, without a prefix, all entries of all kinds when `isAll`. */
  clear(options: ContextOptions & { readonly prefix: string; readonly isAll: boolean }): Promise<number>;
  /** Removes what need not be kept at `now`. */
  purge(now: number, options: ContextOptions): Promise<number>;
}
