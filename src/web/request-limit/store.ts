import { Cleaner } from "../../cleaner/index.ts";
import { BoundedMap } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import {
  consumeToken,
  localAttempt,
  type RateLimit,
  type RateLimitDecision,
  toDecision,
} from "../../token-bucket/index.ts";
import { Log } from "../../log/index.ts";
import { errors } from "../errors.ts";
import { isThenable } from "../../http/router/index.ts";

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of keys; the least recently used one is evicted. Default 100,000, some 15 MB. */
  readonly maxKeys?: number;
}

/**
 * Creates a store in memory: each process counts separately. It holds one number per key.
 * `Cleaner.cleanAll` empties it, so that one test does not use up the limit of another.
 */
export function memoryStore({ maxKeys = 100_000 }: MemoryStoreOptions = {}): RequestLimitStore {
  const fullAtByKey = new BoundedMap<string, number>(maxKeys);
  Cleaner.register("request limits", () => fullAtByKey.clear(), { isInMemory: true });

  return {
    consume(key: string, rateLimit: RateLimit): RateLimitDecision {
      const attempt = localAttempt(rateLimit, Time.monotonic());
      const taken = consumeToken(fullAtByKey.get(key), attempt);
      if (taken.isAllowed) fullAtByKey.set(key, taken.fullAt);
      return toDecision(taken.isAllowed, taken.fullAt, attempt);
    },
  };
}

/**
 * Store of token buckets, one per key.
 *
 * A bucket holds `limit` tokens. A request takes one, and `limit` tokens are refilled evenly over `periodMs`. A store that
 * several processes share must read and update a bucket atomically.
 */
export interface RequestLimitStore {
  /**
   * Takes a token from the bucket of a key. A refused request takes none. An unknown key has a full bucket. If the method
   * throws or rejects, the option `onFailure` of the limit applies.
   */
  consume(key: string, rateLimit: RateLimit): RateLimitDecision | Promise<RateLimitDecision>;
}

/** Behaviour while a store fails. `local`: each process counts in its own memory. `refuse`: requests get 503. */
export type OnFailure = "local" | "refuse";

const log = Log.source("limmat.http");

/** Pause after a failure of the store, in milliseconds, so that requests do not queue up for it. */
const retryDelayMs = 1000;

/** Wraps a store with a fallback for its failures. With `refuse` it throws E_REQUEST_LIMIT_UNAVAILABLE. */
export function withFallback(store: RequestLimitStore, onFailure: OnFailure): RequestLimitStore {
  const localStore = memoryStore();
  let downUntilMs = -Infinity;
  let cause: unknown;

  const consumeWithoutStore: RequestLimitStore["consume"] = (key, rateLimit) => {
    if (onFailure === "refuse") throw errors.E_REQUEST_LIMIT_UNAVAILABLE().causedBy(cause);
    return localStore.consume(key, rateLimit);
  };
  const recordFailure = (failure: unknown): void => {
    const isAlreadyDown = Time.monotonic() < downUntilMs;
    downUntilMs = Time.monotonic() + retryDelayMs;
    cause = failure;
    if (isAlreadyDown) return;
    const meanwhile = onFailure === "refuse" ? "requests are refused" : "each process counts in its own memory";
    log.error(`The store of the request limit failed, so ${meanwhile}`, { error: failure });
  };

  return {
    consume(key, rateLimit) {
      if (Time.monotonic() < downUntilMs) return consumeWithoutStore(key, rateLimit);
      let decision: RateLimitDecision | Promise<RateLimitDecision>;
      try {
        decision = store.consume(key, rateLimit);
      } catch (failure) {
        recordFailure(failure);
        return consumeWithoutStore(key, rateLimit);
      }
      if (!isThenable(decision)) return decision;
      return decision.catch((failure: unknown) => {
        recordFailure(failure);
        return consumeWithoutStore(key, rateLimit);
      });
    },
  };
}
