import { createHash } from "node:crypto";
import { BoundedMap, Context } from "../../../core/index.ts";
import { TimeInternals } from "../../../time/index.ts";
import { consumeToken, sharedAttempt, toDecision } from "../../../token-bucket/index.ts";
import type { Cache } from "../contract.ts";
import type { CacheStore } from "../store/contract.ts";
import { checkRateLimit } from "./checks.ts";

const maxRefusals = 10_000;

/** The operation `consume` of a cache. */
export interface RateLimiter {
  readonly consume: Cache["consume"];
  /** Clears the refusals remembered by this process. */
  readonly forgetRefusals: () => void;
}

/** Makes the rate limiter of a store. */
export function makeRateLimiter(store: CacheStore): RateLimiter {
  // Time at which each empty bucket is full again. Other processes can only delay it, so a refusal computed from it agrees
  // with the store. A flood of refused requests does not reach the store.
  const refusals = new BoundedMap<string, number>(maxRefusals);

  const consume: Cache["consume"] = async (key, rateLimit, { ctx } = {}) => {
    const attempt = sharedAttempt(checkRateLimit(rateLimit), TimeInternals.timestamp());
    const keyHash = hashKey(key);
    const refusalId = JSON.stringify([Context.get(ctx, "pool"), keyHash, rateLimit.limit, rateLimit.periodMs]);
    const rememberedFullAt = refusals.get(refusalId);
    if (rememberedFullAt !== undefined) {
      refusals.delete(refusalId);
      const { isAllowed, fullAt } = consumeToken(rememberedFullAt, attempt);
      if (!isAllowed) {
        refusals.set(refusalId, fullAt);
        return toDecision(false, fullAt, attempt);
      }
    }
    const { isAllowed, fullAt } = await store.consume(
      { kind: "rate-limit", key: keyHash, ...(ctx && { ctx }) },
      attempt,
    );
    if (!isAllowed) {
      refusals.set(refusalId, fullAt);
    }
    return toDecision(isAllowed, fullAt, attempt);
  };
  return { consume, forgetRefusals: () => refusals.clear() };
}

/** Hashes the key of a rate limit: clients choose its length and content, and it may contain a personal address. */
const hashKey = (key: string): string => createHash("sha256").update(key).digest("base64url");
