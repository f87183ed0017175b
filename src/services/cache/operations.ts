import { type ContextOptions, error, ok, type Service } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Cache } from "./contract.ts";
import { checkDuration, checkIncrement, checkKey, checkValue, createEntry, isFresh } from "./engine/checks.ts";
import { makeGetOrSet } from "./engine/get-or-set.ts";
import { acquireLock } from "./engine/lock.ts";
import { makeRateLimiter } from "./engine/rate-limiter.ts";
import { errors } from "./errors.ts";
import type { CacheStore, EntryKey, EntryKind } from "./store/contract.ts";

/** Operations of a cache, without the members of a service. */
export interface CacheOperations extends Omit<Cache, keyof Service.Service> {
  /** Removes the entries of all kinds, locks and rate limits included. */
  readonly clearAll: (options: ContextOptions) => Promise<void>;
}

const defaultLeaseMs = Time.seconds(30);
const lockPollIntervalMs = 50;

/** Returns the operations of a cache on a store. */
export function makeCacheOperations(store: CacheStore): CacheOperations {
  const rateLimiter = makeRateLimiter(store);
  return {
    findOpt: async (key, options) => {
      const entry = await store.findOpt(toEntryKey("value", checkKey(key), options));
      return entry !== undefined && isFresh(entry, TimeInternals.timestamp()) ? entry.value : undefined;
    },
    set: async (key, value, options) => {
      const entryKey = toEntryKey("value", checkKey(key), options);
      if (value === undefined) await store.remove(entryKey, TimeInternals.timestamp());
      else await store.set(entryKey, createEntry(checkValue(value), TimeInternals.timestamp(), options?.expiresInMs));
    },
    setIfAbsent: async (key, value, options) => {
      const now = TimeInternals.timestamp();
      return store.setIfAbsent(
        toEntryKey("value", checkKey(key), options),
        createEntry(checkValue(value), now, options?.expiresInMs),
        now,
      );
    },
    getOrSet: makeGetOrSet(store),
    increment: async (key, options) => {
      const now = TimeInternals.timestamp();
      const by = checkIncrement(options?.by ?? 1);
      const entry = createEntry(String(by), now, options?.expiresInMs);
      const sum = await store.increment(toEntryKey("value", checkKey(key), options), by, entry, now);
      if (sum === undefined) throw errors.E_CACHE_NUMBER(key);
      return sum;
    },
    delete: async (key, options) =>
      store.remove(toEntryKey("value", checkKey(key), options), TimeInternals.timestamp()),
    clear: async ({ prefix, ...options } = {}) =>
      store.clear({ ...options, prefix: prefix === undefined ? "" : checkKey(prefix), isAll: false }),
    purge: async (options = {}) => store.purge(TimeInternals.timestamp(), options),
    lock: async (key, options, task) => {
      const waitMs = checkDuration("waitMs", options.waitMs ?? 0, 0);
      const leaseMs = checkDuration("leaseMs", options.leaseMs ?? defaultLeaseMs);
      const entryKey = toEntryKey("lock", checkKey(key), options);
      const deadline = Time.monotonic() + waitMs;
      let lock = await acquireLock(store, entryKey, leaseMs);
      while (lock === undefined) {
        const remainingMs = deadline - Time.monotonic();
        if (remainingMs <= 0) return error("locked");
        await Time.sleep(Math.min(lockPollIntervalMs, remainingMs));
        lock = await acquireLock(store, entryKey, leaseMs);
      }
      try {
        return ok(await task(lock.signal));
      } finally {
        await lock.release();
      }
    },
    consume: rateLimiter.consume,
    clearAll: async (options) => {
      rateLimiter.forgetRefusals();
      await store.clear({ ...options, prefix: "", isAll: true });
    },
  };
}

const toEntryKey = (kind: EntryKind, key: string, { ctx }: ContextOptions = {}): EntryKey =>
  ctx === undefined ? { kind, key } : { kind, key, ctx };
