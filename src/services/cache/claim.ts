import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { CacheStore, Place } from "./contract.ts";

/** A place that nobody else can claim until it is given back, or its holder dies. */
export interface Claim {
  /** Aborted when the claim may be lost. */
  readonly signal: AbortSignal;
  /** Gives it back. Never throws: what cannot be given back ends with its lease. */
  release(): Promise<void>;
}

const log = Log.source("limmat.cache");

/**
 * Claims a place, without waiting; gives `undefined` when another holds it.
 *
 * The claim is an entry with a value of its own. It ends with its lease (milliseconds), and is renewed three times in
 * that time: what a process that died has claimed is free soon.
 */
export async function claim(store: CacheStore, place: Place, lease: number): Promise<Claim | undefined> {
  const owner = Random.token();
  const now = Time.timestamp();
  const asked = Time.monotonic();
  const entry = { value: owner, expiresAt: now + lease, keptUntil: now + lease };
  try {
    if (!(await store.add(place, entry, now))) return undefined;
  } catch (error) {
    // It may have been done all the same, and others would wait for the end of a lease that nobody has.
    store.remove(place, Time.timestamp(), owner).catch(() => {});
    throw error;
  }

  const lost = new AbortController();
  let isReleased = false;
  let renewing: Promise<void> | undefined;
  let failure: unknown;
  // Whatever became of a renewal, which may wait for a store that is silent.
  const endAt = (time: number): (() => void) => {
    const problem = "The lock may be lost: it could not be renewed within its lease";
    const end = (): void => lost.abort(new Error(problem, failure === undefined ? {} : { cause: failure }));
    return Time.after(Math.max(0, time - Time.monotonic()), end, { keepAlive: false });
  };
  let callOffEnd = endAt(asked + lease);
  const renew = async (): Promise<void> => {
    const from = Time.monotonic();
    const at = Time.timestamp();
    try {
      if (await store.extend(place, owner, at + lease, at)) {
        callOffEnd();
        if (!isReleased) callOffEnd = endAt(from + lease);
      } else lost.abort(new Error("The lock was lost: its lease ended before it could be renewed"));
    } catch (error) {
      failure = error;
      log.warning("A lock could not be renewed", { key: place.key, error });
    }
    if (!isReleased && !lost.signal.aborted) callOff = renewLater();
  };
  const renewLater = (): (() => void) => Time.after(lease / 3, () => void (renewing = renew()), { keepAlive: false });
  let callOff = renewLater();

  return {
    signal: lost.signal,
    release: async () => {
      isReleased = true;
      callOff();
      callOffEnd();
      try {
        await renewing;
        await store.remove(place, Time.timestamp(), owner);
      } catch (error) {
        log.warning("A lock could not be given back, and ends with its lease", { key: place.key, error });
      }
    },
  };
}
