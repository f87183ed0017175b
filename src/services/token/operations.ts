import type { Result, Service } from "../../core/index.ts";
import type { PurposeOptions, StoredTokenService, TokenContent, TokenService } from "./contract.ts";

/** Operations of a token service. */
export type TokenOperations = Omit<TokenService, keyof Service.Service>;

/** Operations of a token service that stores records. */
export type StoredTokenOperations = Omit<StoredTokenService, keyof Service.Service>;

/** Implementation of the operations, with one function for each overload of `consume`. */
export type TokenBackend<Operations extends TokenOperations = TokenOperations> = Omit<Operations, "consume"> & {
  consumeOnce(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  consumeWith<T, E>(
    token: string,
    options: PurposeOptions,
    apply: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
};

/**
 * Creates the operations of a token service. The backend loads on the first call, because most starts never need it
 * (docs/decisions/008).
 */
export function lazyTokenOperations(loadBackend: () => Promise<TokenBackend>): TokenOperations {
  function consume(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  function consume<T, E>(
    token: string,
    options: PurposeOptions,
    apply: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
  async function consume<T, E>(
    token: string,
    options: PurposeOptions,
    apply?: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<TokenContent | Result<T, E> | undefined> {
    const backend = await loadBackend();
    return apply === undefined ? backend.consumeOnce(token, options) : backend.consumeWith(token, options, apply);
  }

  return {
    create: async (...args) => (await loadBackend()).create(...args),
    read: async (...args) => (await loadBackend()).read(...args),
    consume,
    deactivate: async (...args) => (await loadBackend()).deactivate(...args),
    activate: async (...args) => (await loadBackend()).activate(...args),
    deactivateAll: async (...args) => (await loadBackend()).deactivateAll(...args),
    deleteAll: async (...args) => (await loadBackend()).deleteAll(...args),
    isValid: async (...args) => (await loadBackend()).isValid(...args),
    isActive: async (...args) => (await loadBackend()).isActive(...args),
    isExpired: async (...args) => (await loadBackend()).isExpired(...args),
    purge: async (...args) => (await loadBackend()).purge(...args),
  };
}

/** Creates the operations of a token service that stores records, with a backend that loads on the first call. */
export function lazyStoredTokenOperations(
  loadBackend: () => Promise<TokenBackend<StoredTokenOperations>>,
): StoredTokenOperations {
  return {
    ...lazyTokenOperations(loadBackend),
    list: async (...args) => (await loadBackend()).list(...args),
    deactivateById: async (...args) => (await loadBackend()).deactivateById(...args),
  };
}
