import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { RateLimitDecision } from "../../token-bucket/index.ts";
import { errors } from "../errors.ts";
import { isThenable } from "../../http/router/index.ts";
import type { RequestLimitStore } from "./contract.ts";
import { memoryStore } from "./memory-store.ts";

/**
 * What happens to requests while a store does not answer. `alone`: each process counts for itself, so that clients are still
 * limited and the application goes on. `refuse`: all get 503.
 */
export type OnFailure = "alone" | "refuse";

const log = Log.source("limmat.web");

/** How long a store that failed is not asked again, in milliseconds: requests must not queue up before it. */
const pause = 1000;

/** A store that goes on, one way or the other, when another fails. With `refuse` it throws E_REQUEST_LIMIT_UNAVAILABLE. */
export function withFallback(store: RequestLimitStore, onFailure: OnFailure): RequestLimitStore {
  const spare = memoryStore();
  let downUntil = -Infinity;
  let cause: unknown;

  const takeElsewhere: RequestLimitStore["consume"] = (key, quota) => {
    if (onFailure === "refuse") throw errors.E_REQUEST_LIMIT_UNAVAILABLE().causedBy(cause);
    return spare.consume(key, quota);
  };
  const note = (failure: unknown): void => {
    const isKnown = Time.monotonic() < downUntil;
    downUntil = Time.monotonic() + pause;
    cause = failure;
    if (isKnown) return;
    const meanwhile = onFailure === "refuse" ? "requests are refused" : "each process counts for itself";
    log.error(`The store of the request limit failed, so ${meanwhile}`, { error: failure });
  };

  return {
    consume(key, quota) {
      if (Time.monotonic() < downUntil) return takeElsewhere(key, quota);
      let decision: RateLimitDecision | Promise<RateLimitDecision>;
      try {
        decision = store.consume(key, quota);
      } catch (failure) {
        note(failure);
        return takeElsewhere(key, quota);
      }
      if (!isThenable(decision)) return decision;
      return decision.catch((failure: unknown) => {
        note(failure);
        return takeElsewhere(key, quota);
      });
    },
  };
}
