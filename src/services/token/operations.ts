import type { Result, Service } from "../../core/index.ts";
import type { PurposeOptions, StoredTokenService, TokenContent, TokenService } from "./contract.ts";

/** What a token service does. */
export type Operations = Omit<TokenService, keyof Service.Service>;

/** What one does that keeps a list. */
export type StoredOperations = Omit<StoredTokenService, keyof Service.Service>;

/** How it does it, with a function for each of the two ways to call `consume`. */
export type Work<All extends Operations = Operations> = Omit<All, "consume"> & {
  consumeOnce(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  consumeWith<T, E>(
    token: string,
    options: PurposeOptions,
    work: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
};

/**
 * The operations of a token service. How it does them is loaded when the first is called: most starts never need it
 * (docs/decisions/008).
 */
export function operationsOf(work: () => Promise<Work>): Operations {
  function consume(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  function consume<T, E>(
    token: string,
    options: PurposeOptions,
    also: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
  async function consume<T, E>(
    token: string,
    options: PurposeOptions,
    also?: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<TokenContent | Result<T, E> | undefined> {
    const tokens = await work();
    return also === undefined ? tokens.consumeOnce(token, options) : tokens.consumeWith(token, options, also);
  }

  return {
    create: async (...given) => (await work()).create(...given),
    read: async (...given) => (await work()).read(...given),
    consume,
    deactivate: async (...given) => (await work()).deactivate(...given),
    activate: async (...given) => (await work()).activate(...given),
    deactivateAll: async (...given) => (await work()).deactivateAll(...given),
    deleteAll: async (...given) => (await work()).deleteAll(...given),
    isValid: async (...given) => (await work()).isValid(...given),
    isActive: async (...given) => (await work()).isActive(...given),
    isExpired: async (...given) => (await work()).isExpired(...given),
    purge: async (...given) => (await work()).purge(...given),
  };
}

/** As `operationsOf`, for a service that keeps a list. */
export function storedOperationsOf(work: () => Promise<Work<StoredOperations>>): StoredOperations {
  return {
    ...operationsOf(work),
    list: async (...given) => (await work()).list(...given),
    deactivateById: async (...given) => (await work()).deactivateById(...given),
  };
}
