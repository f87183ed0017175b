import type { StoredToken, StoredTokenService, TokenOptions } from "../../contract.ts";
import { storedTokenOperations } from "../../engine/stored-tokens.ts";
import { tokenService } from "../../service.ts";
import { maxListedTokens, type TokenStore, undoOnFailure } from "../contract.ts";

/**
 * Creates a token service in the memory of this process, for tests. A restart loses the tokens.
 *
 * @example
 * export const token = Token.memory();
 */
export function memory({ name = "token", audit }: TokenOptions = {}): StoredTokenService {
  const tokens = new Map<string, StoredToken>();
  const operations = storedTokenOperations(memoryStore(tokens), audit);
  return tokenService({ name, implementation: "memory" }, tokens, operations, audit);
}

/** Creates a store on a map whose keys are hashes of tokens. */
function memoryStore(tokens: Map<string, StoredToken>): TokenStore {
  const consumeWhere = (matches: (token: StoredToken) => boolean): number => {
    const matching = [...tokens].filter(([, token]) => token.status !== "consumed" && matches(token));
    for (const [hash, token] of matching) tokens.set(hash, { ...token, status: "consumed" });
    return matching.length;
  };
  const findToken = (hash: string, purpose: string): StoredToken | undefined => {
    const token = tokens.get(hash);
    return token?.purpose === purpose ? token : undefined;
  };
  const matchesFilter = (
    token: StoredToken,
    { owner, purpose }: Partial<Pick<StoredToken, "owner" | "purpose">>,
  ): boolean => (owner === undefined || token.owner === owner) && (purpose === undefined || token.purpose === purpose);

  return {
    insert: async (token, hash, { replacesOthers = false }) => {
      if (replacesOthers) consumeWhere((other) => matchesFilter(other, token));
      tokens.set(hash, structuredClone(token));
    },
    findOpt: async (hash, purpose) => structuredClone(findToken(hash, purpose)),
    recordUse: async (id, at) => {
      for (const [hash, token] of tokens) if (token.id === id) tokens.set(hash, { ...token, last_used_at: at });
    },
    changeStatus: async (hash, purpose, { from, to, validAt }) => {
      const token = findToken(hash, purpose);
      if (token?.status !== from || (validAt !== undefined && token.expires_at <= validAt)) return false;
      tokens.set(hash, { ...token, status: to });
      return true;
    },
    consumeById: async (id, options) =>
      consumeWhere((token) => token.id === id && token.status === "active" && matchesFilter(token, options)) > 0,
    consumeAll: async (options) => consumeWhere((token) => matchesFilter(token, options)),
    deleteAll: async (options) => {
      const matching = [...tokens].filter(([, token]) => matchesFilter(token, options));
      for (const [hash] of matching) tokens.delete(hash);
      return matching.length;
    },
    list: async (options) =>
      [...tokens.values()]
        .filter((token) => matchesFilter(token, options))
        .sort((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
        .slice(0, maxListedTokens)
        .map((token) => structuredClone(token)),
    purge: async (expiredAt) => {
      const expired = [...tokens].filter(([, token]) => token.expires_at <= expiredAt);
      for (const [hash] of expired) tokens.delete(hash);
      return expired.length;
    },
    transaction: undoOnFailure,
  };
}
