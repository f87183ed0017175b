import { Cleaner } from "../../cleaner/index.ts";
import { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { commandsOf } from "./commands.ts";
import type { Cache, CacheStore } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Operations } from "./operations.ts";

/** What a backend adds to the cache that is made of it. */
export interface CacheDefinition extends Partial<Pick<Service.Service, "dependencies" | "configuration" | "check">> {
  /** Its name among the services. */
  readonly name: string;
  /** The name of the implementation: `sql`. */
  readonly implementation: string;
  readonly store: CacheStore;
  readonly start?: () => Promise<void> | void;
  readonly stop?: () => Promise<void> | void;
}

const log = Log.source("limmat.cache");

const purgeEvery = Time.minutes(5);

/** Makes a cache service of a backend. For authors of backends. Throws E_CACHE_NAME. */
export function makeCache({ store, ...definition }: CacheDefinition): Cache {
  return cacheOn(async () => store, definition);
}

/** The same for a store that is loaded when it is needed. Throws E_CACHE_NAME. */
export function cacheOn(open: () => Promise<CacheStore>, definition: Omit<CacheDefinition, "store">): Cache {
  const { name, implementation, start, stop, ...rest } = definition;
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) throw errors.E_CACHE_NAME(name);
  let stopAll: (() => Promise<void>) | undefined;

  // Loaded at start, or with the first operation: most starts never need them (docs/decisions/008).
  let opened: Promise<Operations> | undefined;
  const operations = (): Promise<Operations> =>
    (opened ??= import("./operations.ts").then(async ({ operationsOn }) => operationsOn(await open())));

  const cache: Cache = {
    ...Service.make({
      ...rest,
      name,
      implementation,
      commands: commandsOf(name, () => cache),
      start: async () => {
        await start?.();
        const loaded = await operations();
        const unregister = Cleaner.register(name, (options) => loaded.clearAll(options));
        const stopPurging = purgeForever(() => loaded.purge());
        stopAll = async () => {
          unregister();
          await stopPurging();
        };
      },
      stop: async () => {
        await stopAll?.();
        await stop?.();
      },
    }),
    find: async (...call) => (await operations()).find(...call),
    set: async (...call) => (await operations()).set(...call),
    setIfAbsent: async (...call) => (await operations()).setIfAbsent(...call),
    getOrSet: async (...call) => (await operations()).getOrSet(...call),
    increment: async (...call) => (await operations()).increment(...call),
    delete: async (...call) => (await operations()).delete(...call),
    clear: async (...call) => (await operations()).clear(...call),
    purge: async (...call) => (await operations()).purge(...call),
    lock: async (...call) => (await operations()).lock(...call),
    take: async (...call) => (await operations()).take(...call),
  };
  return cache;
}

/** Frees the space of what is over, again and again. Gives the function that ends it. */
function purgeForever(purge: () => Promise<number>): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  let isStopped = false;
  const later = (): (() => void) =>
    Time.after(
      purgeEvery,
      () => {
        running = purge()
          .catch((failure: unknown) => log.warning("The cache could not remove what is over", { error: failure }))
          .then(() => isStopped || (callOff = later()));
      },
      { keepAlive: false },
    );
  let callOff = later();
  return async () => {
    isStopped = true;
    callOff();
    await running;
  };
}
