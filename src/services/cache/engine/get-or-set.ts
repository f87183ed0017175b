import { Context, isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { Cache, GetOrSetOptions } from "../contract.ts";
import type { CacheStore, EntryKey } from "../store/contract.ts";
import { checkKey, checkValue, createEntry, isFresh, isKept, toEntryKey } from "./checks.ts";
import { acquireLock } from "./lock.ts";

const log = Log.source("limmat.cache");

/** Lease of the computation lock, and maximum wait for a computation of another process, in milliseconds. */
const computeLeaseMs = 30_000;
/** Delays between polls for the value of another process, in milliseconds. The last one repeats. */
const pollDelaysMs = [10, 25, 50, 100, 200];

const unavailable = Symbol("unavailable");

/** Returns the result of a store operation, or `unavailable` after logging an error of status 503. */
const orUnavailable = <T>(operation: Promise<T>): Promise<T | typeof unavailable> => operation.catch(logUnavailable);

function logUnavailable(error: unknown): typeof unavailable {
  if (!isError(error) || error.status !== 503) throw error;
  log.error("The cache is unavailable; the value is computed without it", { error });
  return unavailable;
}

/** Returns the operation `getOrSet` on a store. */
export function makeGetOrSet(store: CacheStore): Cache["getOrSet"] {
  const computations = new Map<string, Promise<string | undefined>>();

  return async function getOrSet(key, options, compute): Promise<string> {
    // Validates the durations before anything is read.
    createEntry("", 0, options.expiresInMs, options.graceMs);
    const entryKey = toEntryKey("value", checkKey(key), options);
    const found = await orUnavailable(store.findOpt(entryKey));
    const now = TimeInternals.timestamp();
    const entry = found === unavailable ? undefined : found;
    if (entry !== undefined && isFresh(entry, now)) return entry.value;

    const staleValue = entry !== undefined && isKept(entry, now) ? entry.value : undefined;
    const computationId = JSON.stringify([Context.get(options.ctx, "pool"), key]);
    let computation = computations.get(computationId);
    if (computation !== undefined && staleValue !== undefined) return staleValue;
    if (computation === undefined) {
      const checkedCompute = async (): Promise<string> => checkValue(await compute());
      const started =
        found === unavailable
          ? checkedCompute()
          : computeUnderLock(store, entryKey, options, checkedCompute, staleValue !== undefined);
      computation = started.finally(() => computations.delete(computationId));
      computations.set(computationId, computation);
    }
    try {
      const value = (await computation) ?? staleValue;
      return value ?? (await getOrSet(key, options, compute));
    } catch (error) {
      if (staleValue === undefined) throw error;
      log.warning("A value could not be computed; the stale value is returned", { key, error });
      return staleValue;
    }
  };
}

/**
 * Computes and stores the value under a lock, or waits for another process that does. Returns `undefined` if a stale value
 * exists and another process is computing the next one.
 */
async function computeUnderLock(
  store: CacheStore,
  entryKey: EntryKey,
  { expiresInMs, graceMs }: GetOrSetOptions,
  compute: () => Promise<string>,
  hasStaleValue: boolean,
): Promise<string | undefined> {
  const computeAndStore = async (): Promise<string> => {
    const value = await compute();
    await orUnavailable(store.set(entryKey, createEntry(value, TimeInternals.timestamp(), expiresInMs, graceMs)));
    return value;
  };
  const findFreshValue = async (): Promise<string | undefined> => {
    const entry = await orUnavailable(store.findOpt(entryKey));
    if (entry === undefined || entry === unavailable) return undefined;
    return isFresh(entry, TimeInternals.timestamp()) ? entry.value : undefined;
  };

  const deadline = Time.monotonic() + computeLeaseMs;
  for (let round = 0; Time.monotonic() < deadline; round++) {
    const lock = await orUnavailable(acquireLock(store, { ...entryKey, kind: "compute" }, computeLeaseMs));
    if (lock === unavailable) return compute();
    if (lock !== undefined) {
      try {
        return (await findFreshValue()) ?? (await computeAndStore());
      } finally {
        await lock.release();
      }
    }
    if (hasStaleValue) return undefined;
    await Time.sleep(pollDelaysMs[Math.min(round, pollDelaysMs.length - 1)] ?? 0);
    const value = await findFreshValue();
    if (value !== undefined) return value;
  }
  return computeAndStore();
}
