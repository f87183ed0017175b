import type { CancellableOptions, ContextOptions, Result, Service } from "../../core/index.ts";
import type { RateLimit, RateLimitDecision } from "../../token-bucket/index.ts";

/** Lifetime of an entry. */
export interface ExpiryOptions extends ContextOptions {
  /** Time to live from the write on, in milliseconds. Default: no expiry. */
  readonly expiresInMs?: number;
}

/** Options of `Cache.getOrSet`. */
export interface GetOrSetOptions extends ContextOptions {
  /** Time to live of a computed value, in milliseconds. */
  readonly expiresInMs: number;
  /**
   * Time after expiry for which the stale value is still returned, in milliseconds: while one caller computes the next
   * value, and if the computation fails. Default 0.
   */
  readonly graceMs?: number;
}

/** Options of `Cache.lock`. */
export interface LockOptions extends ContextOptions {
  /** Maximum time to wait for another holder, in milliseconds. Default 0: no wait. */
  readonly waitMs?: number;
  /** Time after which the lock of a dead process is free, in milliseconds. A live process renews it. Default 30,000. */
  readonly leaseMs?: number;
}

/**
 * A key-value store for text, shared by all processes that use the same database or server. A memory cache belongs to its
 * process. `Cache.typed` stores values of other types.
 *
 * A key has 1 to 255 characters without control characters. Comparison is exact: letter case, accents and spaces count. A
 * value is text of at most 8 MiB in UTF-8, without NUL. Expired values (by `Time`) are never returned, except by
 * `getOrSet` within `graceMs`.
 *
 * The context key `pool` selects the pool of a database. Stores without pools keep separate entries for each pool.
 *
 * Every operation throws E_CACHE_KEY, E_CACHE_VALUE or E_CACHE_OPTION for an invalid argument. If the store does not
 * respond, it throws an error of status 503: E_CACHE_UNAVAILABLE or the error of the database.
 */
export interface Cache extends Service.Service {
  /** Returns the value of a key, or `undefined` if it is missing or expired. */
  findOpt(key: string, options?: ContextOptions): Promise<string | undefined>;
  /** Writes a value and its expiry, replacing both. `undefined` removes the entry. */
  set(key: string, value: string | undefined, options?: ExpiryOptions): Promise<void>;
  /** Writes a value if the key has none. Returns true for exactly one of several concurrent callers. */
  setIfAbsent(key: string, value: string, options?: ExpiryOptions): Promise<boolean>;
  /**
   * Returns the value of a key, or computes and stores it. Concurrent callers share one computation: always within a
   * process, and as a rule across processes. An error of `compute` is rethrown, and nothing is stored.
   *
   * If the store does not respond, the failure is logged and the value is computed. An outage of the cache causes extra
   * work, not errors.
   */
  getOrSet(key: string, options: GetOrSetOptions, compute: () => Promise<string> | string): Promise<string>;
  /**
   * Adds `by` to an integer and returns the sum. `by` is a safe integer, possibly negative, by default 1. A key without
   * value starts at 0 and gets `expiresInMs`; later calls keep the expiry. Sums are clamped to ±(2⁵³ − 1). Throws
   * E_CACHE_NUMBER if the value is not an integer.
   */
  increment(key: string, options?: ExpiryOptions & { readonly by?: number }): Promise<number>;
  /** Removes an entry. Returns true if one existed: to exactly one of several concurrent callers. */
  delete(key: string, options?: ContextOptions): Promise<boolean>;
  /** Removes values, all or those of a case-sensitive key `prefix`, but no locks or rate limits. Returns the number. */
  clear(options?: ContextOptions & { readonly prefix?: string }): Promise<number>;
  /** Deletes expired entries and returns their number. Runs every five minutes automatically. */
  purge(options?: CancellableOptions): Promise<number>;
  /**
   * Runs a task that must not run concurrently, in any process. Returns its result, or the error `"locked"` if another
   * caller still holds the lock after `waitMs`. Lock keys and value keys are separate.
   *
   * The lock is renewed while the task runs. If renewal fails for longer than the lease, `signal` is aborted: another
   * caller may have acquired the lock.
   */
  lock<T>(
    key: string,
    options: LockOptions,
    task: (signal: AbortSignal) => Promise<T> | T,
  ): Promise<Result<T, "locked">>;
  /**
   * Consumes one token of a rate limit, atomically: a token bucket per key, as required of the `store` of
   * `Web.Middleware.requestLimit`. A refused attempt consumes nothing. Any text is a key: it is stored as a hash, separate
   * from the keys of values. After a refusal, further attempts are refused without asking the store until a token can be
   * available again.
   */
  consume(key: string, rateLimit: RateLimit, options?: ContextOptions): Promise<RateLimitDecision>;
}
