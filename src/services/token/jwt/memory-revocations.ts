import { undoOnFailure } from "../store.ts";
import type { Revocation, Revocations } from "./revocations.ts";

/** Remembers in the memory of this process. */
export function memoryRevocations(kept: Map<string, Revocation>): Revocations {
  return {
    find: async (hashes) => hashes.map((hash) => kept.get(hash)).filter((found) => found !== undefined),
    add: async (revocation) => {
      if (kept.has(revocation.hash)) return false;
      kept.set(revocation.hash, revocation);
      return true;
    },
    remove: async (hash) => kept.get(hash)?.status === "inactive" && kept.delete(hash),
    advance: async (revocation) => {
      const former = kept.get(revocation.hash)?.generation ?? 0;
      kept.set(revocation.hash, { ...revocation, generation: Math.max(revocation.generation, former + 1) });
    },
    purge: async (expiredAt) => {
      const expired = [...kept.values()].filter(({ expires_at }) => expires_at <= expiredAt);
      for (const { hash } of expired) kept.delete(hash);
      return expired.length;
    },
    together: undoOnFailure,
    forget: async (hash) => void kept.delete(hash),
  };
}
