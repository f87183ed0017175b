import { Context, isError } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { checkKey, checkValue, entryOf, isFresh, isKept } from "./checks.ts";
import { claim } from "./claim.ts";
import type { Cache, CacheStore, Entry, GetOrSetOptions, Place } from "./contract.ts";

const log = Log.source("limmat.cache");

/** How long another process that makes a value is waited for, in milliseconds. */
const patience = 30_000;
/** Milliseconds between looks at whether it is done; then the last again and again. */
const pauses = [10, 25, 50, 100, 200];

const down = Symbol("down");

/** What a store answers, or `down`, and a line in the log, when it does not. */
async function unlessDown<T>(answer: Promise<T>): Promise<T | typeof down> {
  try {
    return await answer;
  } catch (error) {
    if (!isError(error) || error.status !== 503) throw error;
    log.error("The cache does not answer, so what it would give is made anew", { error });
    return down;
  }
}

/** One call, and what is done for it. */
class Call {
  readonly #store: CacheStore;
  readonly #options: GetOrSetOptions;
  readonly #make: () => Promise<string> | string;
  readonly #place: Place;

  constructor(store: CacheStore, key: string, options: GetOrSetOptions, make: () => Promise<string> | string) {
    this.#store = store;
    this.#options = options;
    this.#make = make;
    this.#place = { kind: "value", key, ...(options.ctx && { ctx: options.ctx }) };
  }

  /** What is kept, over or not. */
  async look(): Promise<Entry | typeof down | undefined> {
    const entry = await unlessDown(this.#store.find(this.#place));
    return entry === down || (entry !== undefined && isKept(entry, Time.timestamp())) ? entry : undefined;
  }

  /** Makes the value, for all callers of this process; `undefined` when it is stale and another process makes it. */
  async produce(isStale: boolean): Promise<string | undefined> {
    const until = Time.monotonic() + patience;
    for (let round = 0; Time.monotonic() < until; round++) {
      const held = await unlessDown(claim(this.#store, { ...this.#place, kind: "maker" }, patience));
      if (held === down) return this.make();
      if (held !== undefined) {
        try {
          return (await this.#fresh()) ?? (await this.#makeAndKeep());
        } finally {
          await held.release();
        }
      }
      if (isStale) return undefined;
      await Time.sleep(pauses[Math.min(round, pauses.length - 1)] ?? 0);
      const value = await this.#fresh();
      if (value !== undefined) return value;
    }
    return this.#makeAndKeep();
  }

  /** Makes the value, for a store that does not answer. */
  async make(): Promise<string> {
    return checkValue(await this.#make());
  }

  async #makeAndKeep(): Promise<string> {
    const value = await this.make();
    const { expiresIn, grace } = this.#options;
    await unlessDown(this.#store.set(this.#place, entryOf(value, Time.timestamp(), expiresIn, grace)));
    return value;
  }

  async #fresh(): Promise<string | undefined> {
    const entry = await this.look();
    return entry !== undefined && entry !== down && isFresh(entry, Time.timestamp()) ? entry.value : undefined;
  }
}

/** The operation `getOrSet` on a store. */
export function getOrSetOn(store: CacheStore): Cache["getOrSet"] {
  const running = new Map<string, Promise<string | undefined>>();

  return async function getOrSet(key, options, make): Promise<string> {
    entryOf("", 0, options.expiresIn, options.grace);
    const call = new Call(store, checkKey(key), options, make);
    const entry = await call.look();
    if (entry !== undefined && entry !== down && isFresh(entry, Time.timestamp())) return entry.value;

    const stale = entry === down ? undefined : entry?.value;
    const id = JSON.stringify([Context.find(options.ctx, "pool"), key]);
    let producing = running.get(id);
    if (producing !== undefined && stale !== undefined) return stale;
    if (producing === undefined) {
      const started = entry === down ? call.make() : call.produce(stale !== undefined);
      producing = started.finally(() => running.delete(id));
      running.set(id, producing);
    }
    try {
      const value = (await producing) ?? stale;
      return value ?? (await getOrSet(key, options, make));
    } catch (error) {
      if (stale === undefined) throw error;
      log.warning("A value could not be made anew; the one that is over is given", { key, error });
      return stale;
    }
  };
}
