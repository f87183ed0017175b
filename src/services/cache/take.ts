import { createHash } from "node:crypto";
import { Context } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { attemptOf, decisionOf, takeFrom } from "../../token-bucket/index.ts";
import { checkQuota } from "./checks.ts";
import type { Cache, CacheStore } from "./contract.ts";

const maxRefused = 10_000;

/** The operation `take` on a store, and the function that forgets what it remembers of refusals. */
export function takeOn(store: CacheStore): { readonly take: Cache["take"]; readonly forget: () => void } {
  // When buckets that were found empty will be full again. Others can only make it later: what is refused by this is
  // refused by the store, which a flood of requests therefore does not reach.
  const refused = new Map<string, number>();

  const take: Cache["take"] = async (key, quota, { ctx } = {}) => {
    const attempt = attemptOf(checkQuota(quota), Time.timestamp());
    const hash = hashOf(key);
    const id = JSON.stringify([Context.find(ctx, "pool"), hash, quota.limit, quota.period]);
    const known = refused.get(id);
    if (known !== undefined) {
      refused.delete(id);
      const again = takeFrom(known, attempt);
      if (!again.isAllowed) {
        refused.set(id, again.fullAt);
        return decisionOf(false, again.fullAt, attempt);
      }
    }
    const { isAllowed, fullAt } = await store.take({ kind: "quota", key: hash, ...(ctx && { ctx }) }, attempt);
    if (!isAllowed) {
      refused.set(id, fullAt);
      if (refused.size > maxRefused) refused.delete(refused.keys().next().value ?? "");
    }
    return decisionOf(isAllowed, fullAt, attempt);
  };
  return { take, forget: () => refused.clear() };
}

/** Keys of quotas come from outside, of any length and content, and may be addresses: they are kept as hashes. */
const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
