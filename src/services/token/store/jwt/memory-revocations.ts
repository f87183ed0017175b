import { undoOnFailure } from "../contract.ts";
import type { Revocation, Revocations } from "./revocations.ts";

/** Creates a store in a map of this process. */
export function memoryRevocations(revocations: Map<string, Revocation>): Revocations {
  return {
    find: async (hashes) =>
      hashes.map((hash) => revocations.get(hash)).filter((revocation) => revocation !== undefined),
    add: async (revocation) => {
      if (revocations.has(revocation.hash)) return false;
      revocations.set(revocation.hash, revocation);
      return true;
    },
    remove: async (hash) => revocations.get(hash)?.status === "inactive" && revocations.delete(hash),
    advanceGeneration: async (revocation) => {
      const previous = revocations.get(revocation.hash)?.generation ?? 0;
      const generation = Math.max(revocation.generation, previous + 1);
      revocations.set(revocation.hash, { ...revocation, generation });
    },
    purge: async (expiredAt) => {
      const expired = [...revocations.values()].filter(({ expires_at }) => expires_at <= expiredAt);
      for (const { hash } of expired) revocations.delete(hash);
      return expired.length;
    },
    transaction: undoOnFailure,
    delete: async (hash) => void revocations.delete(hash),
  };
}
