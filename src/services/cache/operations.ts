import { type ContextOptions, error, ok, type Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { checkAmount, checkDuration, checkKey, checkValue, entryOf, isFresh } from "./checks.ts";
import { claim } from "./claim.ts";
import type { Cache, CacheStore, EntryKind, Place } from "./contract.ts";
import { errors } from "./errors.ts";
import { getOrSetOn } from "./get-or-set.ts";
import { takeOn } from "./take.ts";

/** What a cache does. */
export interface Operations extends Omit<Cache, keyof Service.Service> {
  /** Removes everything, locks and quotas too. */
  clearAll(options: ContextOptions): Promise<void>;
}

const defaultLease = Time.seconds(30);
/** Milliseconds between tries for a lock. */
const lockPause = 50;

/** The operations of a cache on a store. */
export function operationsOn(store: CacheStore): Operations {
  const { take, forget } = takeOn(store);
  return {
    find: async (key, options) => {
      const entry = await store.find(placeOf("value", checkKey(key), options));
      return entry !== undefined && isFresh(entry, Time.timestamp()) ? entry.value : undefined;
    },
    set: async (key, value, options) => {
      const place = placeOf("value", checkKey(key), options);
      if (value === undefined) await store.remove(place, Time.timestamp());
      else await store.set(place, entryOf(checkValue(value), Time.timestamp(), options?.expiresIn));
    },
    setIfAbsent: async (key, value, options) => {
      const now = Time.timestamp();
      return store.add(
        placeOf("value", checkKey(key), options),
        entryOf(checkValue(value), now, options?.expiresIn),
        now,
      );
    },
    getOrSet: getOrSetOn(store),
    increment: async (key, options) => {
      const now = Time.timestamp();
      const by = checkAmount(options?.by ?? 1);
      const entry = entryOf(String(by), now, options?.expiresIn);
      const sum = await store.increment(placeOf("value", checkKey(key), options), by, entry, now);
      if (sum === undefined) throw errors.E_CACHE_NUMBER(key);
      return sum;
    },
    delete: async (key, options) => store.remove(placeOf("value", checkKey(key), options), Time.timestamp()),
    clear: async ({ prefix, ...options } = {}) =>
      store.clear({ ...options, prefix: prefix === undefined ? "" : checkKey(prefix), isAll: false }),
    purge: async (options = {}) => store.purge(Time.timestamp(), options),
    lock: async (key, options, work) => {
      const wait = checkDuration("wait", options.wait ?? 0, 0);
      const lease = checkDuration("lease", options.lease ?? defaultLease);
      const place = placeOf("lock", checkKey(key), options);
      const until = Time.monotonic() + wait;
      let held = await claim(store, place, lease);
      while (held === undefined) {
        const left = until - Time.monotonic();
        if (left <= 0) return error("locked");
        await Time.sleep(Math.min(lockPause, left));
        held = await claim(store, place, lease);
      }
      try {
        return ok(await work(held.signal));
      } finally {
        await held.release();
      }
    },
    take,
    clearAll: async (options) => {
      forget();
      await store.clear({ ...options, prefix: "", isAll: true });
    },
  };
}

const placeOf = (kind: EntryKind, key: string, { ctx }: ContextOptions = {}): Place =>
  ctx === undefined ? { kind, key } : { kind, key, ctx };
