import { Time } from "../../time/index.ts";
import type { Decision, Quota, RequestLimitStore } from "./contract.ts";

/** How much a memory store remembers. */
export interface MemoryStoreOptions {
  /** Keys; when there are more, the one that was used least recently is forgotten. Default 100,000, some 15 MB. */
  readonly maxKeys?: number;
}

/**
 * Remembers in the memory of this process: each process counts for itself.
 *
 * One number per key: when its bucket will be full again (the generic cell rate algorithm, ITU-T I.371).
 */
export function memoryStore({ maxKeys = 100_000 }: MemoryStoreOptions = {}): RequestLimitStore {
  const fullAt = new Map<string, number>();

  return {
    take(key: string, { limit, period }: Quota): Decision {
      const now = Time.monotonic();
      const before = Math.max(now, fullAt.get(key) ?? now);
      const perToken = period / limit;
      const after = before + perToken;
      const isAllowed = after - now <= period + tolerance;
      if (isAllowed) {
        // Set anew, so that the keys stand in the order of their last use.
        fullAt.delete(key);
        if (fullAt.size >= maxKeys) fullAt.delete(fullAt.keys().next().value ?? "");
        fullAt.set(key, after);
      }
      const full = isAllowed ? after : before;
      const remaining = Math.max(0, Math.floor((period - (full - now)) / perToken + tolerance));
      const retryAfter = remaining > 0 ? 0 : full + perToken - period - now;
      return { isAllowed, remaining, retryAfter, reset: full - now };
    },
  };
}

/** Sums of fractions are not exact: a millionth of a millisecond is nobody's advantage. */
const tolerance = 1e-6;
