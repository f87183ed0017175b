import { Cleaner } from "../../cleaner/index.ts";
import { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { cacheCommands } from "./commands.ts";
import type { Cache } from "./contract.ts";
import { errors } from "./errors.ts";
import type { CacheOperations } from "./operations.ts";
import type { CacheStore } from "./store/contract.ts";

/** Definition of a cache service by its backend. */
export interface CacheDefinition extends Partial<Pick<Service.Service, "dependencies" | "configuration" | "check">> {
  /** Name of the service. */
  readonly name: string;
  /** Name of the implementation, such as `sql`. */
  readonly implementation: string;
  readonly store: CacheStore;
  readonly start?: () => Promise<void> | void;
  readonly stop?: () => Promise<void> | void;
}

const log = Log.source("limmat.cache");

const purgeIntervalMs = Time.minutes(5);

/** Makes a cache service on a store. For authors of backends. Throws E_CACHE_NAME. */
export function makeCache({ store, ...definition }: CacheDefinition): Cache {
  return makeLazyCache(async () => store, definition);
}

/** Makes a cache service whose store is opened on first use. Throws E_CACHE_NAME. */
export function makeLazyCache(open: () => Promise<CacheStore>, definition: Omit<CacheDefinition, "store">): Cache {
  const { name, implementation, start, stop, ...rest } = definition;
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) throw errors.E_CACHE_NAME(name);
  let stopBackground: (() => Promise<void>) | undefined;

  // Imported at start or with the first operation: most commands never need it (docs/decisions/008).
  let opened: Promise<CacheOperations> | undefined;
  const operations = (): Promise<CacheOperations> =>
    (opened ??= import("./operations.ts").then(async ({ makeCacheOperations }) => makeCacheOperations(await open())));

  const cache: Cache = {
    ...Service.make({
      ...rest,
      name,
      implementation,
      commands: cacheCommands(name, () => cache),
      start: async () => {
        await start?.();
        const loaded = await operations();
        const unregister = Cleaner.register(name, (options) => loaded.clearAll(options));
        const stopPurging = startPurging(() => loaded.purge());
        stopBackground = async () => {
          unregister();
          await stopPurging();
        };
      },
      stop: async () => {
        await stopBackground?.();
        await stop?.();
      },
    }),
    findOpt: async (...args) => (await operations()).findOpt(...args),
    set: async (...args) => (await operations()).set(...args),
    setIfAbsent: async (...args) => (await operations()).setIfAbsent(...args),
    getOrSet: async (...args) => (await operations()).getOrSet(...args),
    increment: async (...args) => (await operations()).increment(...args),
    delete: async (...args) => (await operations()).delete(...args),
    clear: async (...args) => (await operations()).clear(...args),
    purge: async (...args) => (await operations()).purge(...args),
    lock: async (...args) => (await operations()).lock(...args),
    consume: async (...args) => (await operations()).consume(...args),
  };
  return cache;
}

/** Deletes expired entries at an interval. Returns a function that stops it and waits for a run in progress. */
function startPurging(purge: () => Promise<number>): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  let isStopped = false;
  const scheduleNext = (): (() => void) =>
    Time.after(
      purgeIntervalMs,
      () => {
        running = purge()
          .catch((error: unknown) => log.warning("The cache could not delete expired entries", { error }))
          .then(() => isStopped || (cancelNext = scheduleNext()));
      },
      { keepAlive: false },
    );
  let cancelNext = scheduleNext();
  return async () => {
    isStopped = true;
    cancelNext();
    await running;
  };
}
