import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { RateLimitDecision } from "../../token-bucket/index.ts";
import { errors } from "../errors.ts";
import { isThenable } from "../../http/router/index.ts";
import { memoryStore, type RequestLimitStore } from "./memory-store.ts";

/**
 * Behaviour while a store fails. `local`: each process counts in its own memory, so that clients are still limited and
 * the application keeps answering. `refuse`: requests get 503.
 */
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
