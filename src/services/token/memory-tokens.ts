import type { StoredToken } from "./contract.ts";
import type { StoredOperations, Work } from "./operations.ts";
import { mostListed, type TokenStore, undoOnFailure } from "./store.ts";
import { storedTokens } from "./stored-tokens.ts";

/** Tokens in a map, by the hash of their text. */
export function memoryTokens(tokens: Map<string, StoredToken>): Work<StoredOperations> {
  return storedTokens(memoryStore(tokens));
}

function memoryStore(tokens: Map<string, StoredToken>): TokenStore {
  const endWhere = (matches: (token: StoredToken) => boolean): boolean => {
    const ended = [...tokens].filter(([, token]) => token.status !== "consumed" && matches(token));
    for (const [hash, token] of ended) tokens.set(hash, { ...token, status: "consumed" });
    return ended.length > 0;
  };
  const find = (hash: string, purpose: string): StoredToken | undefined => {
    const token = tokens.get(hash);
    return token?.purpose === purpose ? token : undefined;
  };
  const isOf = (token: StoredToken, { owner, purpose }: { owner?: string; purpose?: string }): boolean =>
    (owner === undefined || token.owner === owner) && (purpose === undefined || token.purpose === purpose);

  return {
    insert: async (token, hash) => void tokens.set(hash, structuredClone(token)),
    find: async (hash, purpose) => structuredClone(find(hash, purpose)),
    touch: async (id, at) => {
      for (const [hash, token] of tokens) if (token.id === id) tokens.set(hash, { ...token, last_used_at: at });
    },
    change: async (hash, purpose, { from, to, validAt }) => {
      const token = find(hash, purpose);
      if (token?.status !== from || (validAt !== undefined && token.expires_at <= validAt)) return false;
      tokens.set(hash, { ...token, status: to });
      return true;
    },
    endById: async (id, options) =>
      endWhere((token) => token.id === id && token.status === "active" && isOf(token, options)),
    endAll: async (options) => void endWhere((token) => isOf(token, options)),
    deleteAll: async (options) => {
      for (const [hash, token] of tokens) if (isOf(token, options)) tokens.delete(hash);
    },
    list: async (options) =>
      [...tokens.values()]
        .filter((token) => isOf(token, options))
        .sort((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
        .slice(0, mostListed)
        .map((token) => structuredClone(token)),
    purge: async (expiredAt) => {
      const expired = [...tokens].filter(([, token]) => token.expires_at <= expiredAt);
      for (const [hash] of expired) tokens.delete(hash);
      return expired.length;
    },
    together: undoOnFailure,
  };
}
