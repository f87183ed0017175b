import { Cleaner } from "../../cleaner/index.ts";
import { background, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type StartPeriodicTask, startPeriodicTask, Time } from "../../time/index.ts";
import { cacheCommands } from "./commands.ts";
import type { Cache } from "./contract.ts";
import { errors } from "./errors.ts";
import { makeCacheOperations } from "./operations.ts";
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
  const { clearAll, ...operations } = makeCacheOperations(store);

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
          onError: (error) => log.warning("The cache could not delete expired entries", { error }),
        });
        return [Cleaner.register(name, clearAll), stopPurging, () => stop?.()];
      }),
    }),
    ...operations,
  };
  return cache;
}
