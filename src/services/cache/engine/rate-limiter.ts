import { createHash } from "node:crypto";
import { BoundedMap, Context } from "../../../core/index.ts";
import { TimeInternals } from "../../../time/index.ts";
import { consumeToken, sharedAttempt, toDecision } from "../../../token-bucket/index.ts";
import type { Cache } from "../contract.ts";
import { errors } from "../errors.ts";
import type { CacheStore } from "../store/contract.ts";
import { checkDuration, toEntryKey } from "./checks.ts";

const maxRefusals = 10_000;

/** Makes the operation `consume` of a cache, and one that clears the refusals remembered by this process. */
export function makeRateLimiter(store: CacheStore): Pick<Cache, "consume"> & { readonly forgetRefusals: () => void } {
  // Time at which each empty bucket is full again. Other processes can only delay it, so a refusal computed from it agrees
  // with the store. A flood of refused requests does not reach the store.
  const refusals = new BoundedMap<string, number>(maxRefusals);

  const consume: Cache["consume"] = async (key, rateLimit, options = {}) => {
    const { limit, periodMs } = rateLimit;
    if (!(Number.isInteger(limit) && limit > 0 && limit <= 1e9)) {
      throw errors.E_CACHE_OPTION("limit", limit, "an integer from 1 to 1,000,000,000");
    }
    checkDuration("periodMs", periodMs);
    const attempt = sharedAttempt(rateLimit, TimeInternals.timestamp());
    // Clients choose the length and content of a key, and it may contain a personal address.
    const keyHash = createHash("sha256").update(key).digest("base64url");
    const refusalId = JSON.stringify([Context.get(options.ctx, "pool"), keyHash, limit, periodMs]);
    const rememberedFullAt = refusals.get(refusalId);
    if (rememberedFullAt !== undefined) {
      refusals.delete(refusalId);
      const { isAllowed, fullAt } = consumeToken(rememberedFullAt, attempt);
      if (!isAllowed) {
        refusals.set(refusalId, fullAt);
        return toDecision(false, fullAt, attempt);
      }
    }
    const { isAllowed, fullAt } = await store.consume(toEntryKey("rate-limit", keyHash, options), attempt);
    if (!isAllowed) refusals.set(refusalId, fullAt);
    return toDecision(isAllowed, fullAt, attempt);
  };
  return { consume, forgetRefusals: () => refusals.clear() };
}
