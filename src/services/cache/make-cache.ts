import { Cleaner } from "../../cleaner/index.ts";
import { background, type ContextOptions, error, ok, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type StartPeriodicTask, startPeriodicTask, Time, TimeInternals } from "../../time/index.ts";
import { cacheCommands } from "./commands.ts";
import type { Cache } from "./contract.ts";
import { checkDuration, checkKey, checkValue, createEntry, isFresh, toEntryKey } from "./engine/checks.ts";
import { makeGetOrSet } from "./engine/get-or-set.ts";
import { acquireLock } from "./engine/lock.ts";
import { makeRateLimiter } from "./engine/rate-limiter.ts";
import { errors } from "./errors.ts";
import type { CacheStore } from "./store/contract.ts";

/** Definition of a cache service by its backend. */
export interface CacheDefinition extends Partial<
  Pick<Service.Service, "dependencies" | "configuration" | "check" | "start" | "stop">
> {
  /** Name of the service. */
  readonly name: string;
  /** Name of the implementation, such as `sql`. */
  readonly implementation: string;
  readonly store: CacheStore;
  /** Starts the deletion of expired entries. Default: a timer of the cache. A store in a database has `registerExpiry`. */
  readonly startPeriodicTask?: StartPeriodicTask;
}

const log = Log.source("limmat.cache");

const purgeIntervalMs = Time.minutes(5);

/** Makes a cache service on a store. For authors of backends. Throws E_CACHE_NAME. */
export function makeCache(definition: CacheDefinition): Cache {
  const { name, implementation, store, start, stop, ...options } = definition;
  const { startPeriodicTask: startTask = startPeriodicTask, ...rest } = options;
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) throw errors.E_CACHE_NAME(name);
  const rateLimiter = makeRateLimiter(store);
  const operations = { ...makeOperations(store), consume: rateLimiter.consume };
  /** Removes the entries of all kinds, locks and rate limits included. */
  const clear = async (callOptions: ContextOptions): Promise<void> =>
    void (await store.clear({ ...callOptions, prefix: "", isAll: true }));

  const cache: Cache = {
    ...Service.make({
      ...rest,
      name,
      implementation,
      commands: cacheCommands(name, () => cache),
      ...background(async (context) => {
        await start?.(context);
        const stopPurging = startTask({
          intervalMs: purgeIntervalMs,
          run: operations.purge,
          onError: (cause) => log.warning("The cache could not delete expired entries", { error: cause }),
        });
        return [
          Cleaner.register(name, clear, { isInMemory: implementation === "memory" }),
          Cleaner.register(name, rateLimiter.forgetRefusals, { isInMemory: true }),
          stopPurging,
          () => stop?.(),
        ];
      }),
    }),
    ...operations,
  };
  return cache;
}

const defaultLeaseMs = Time.seconds(30);
const lockPollIntervalMs = 50;

/** Returns the operations of a cache on a store. */
function makeOperations(store: CacheStore): Omit<Cache, keyof Service.Service | "consume"> {
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
      const by = options?.by ?? 1;
      if (!Number.isSafeInteger(by)) throw errors.E_CACHE_OPTION("by", by, "a safe integer");
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
  };
}
