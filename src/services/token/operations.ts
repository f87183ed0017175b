import { lazyMethods, type Result, type Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type PeriodicTask, Time } from "../../time/index.ts";
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

/** Creates the operations of a token service, with a backend that loads on the first call (docs/decisions/017). */
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
    ...lazyMethods(loadBackend, [
      "create",
      "read",
      "deactivate",
      "activate",
      "deactivateAll",
      "deleteAll",
      "isValid",
      "isActive",
      "isExpired",
      "purge",
    ]),
    consume,
  };
}

/** Creates the operations of a token service that stores records, with a backend that loads on the first call. */
export function lazyStoredTokenOperations(
  loadBackend: () => Promise<TokenBackend<StoredTokenOperations>>,
): StoredTokenOperations {
  return {
    ...lazyTokenOperations(loadBackend),
    ...lazyMethods(loadBackend, ["list", "deactivateById"]),
  };
}

const log = Log.source("limmat.token");

/** Creates the task of a token service that deletes the records of expired tokens. */
export function purgeTask(service: Pick<TokenService, "purge">): PeriodicTask {
  return {
    intervalMs: Time.minutes(5),
    run: (options) => service.purge(options),
    onError: (error) => log.warning("The records of expired tokens could not be deleted", { error }),
  };
}
