import type { Result, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type PeriodicTask, Time } from "../../time/index.ts";
import type { PurposeOptions, StoredTokenService, TokenContent, TokenService } from "./contract.ts";

/** Operations of a token service. */
export type TokenOperations = Omit<TokenService, keyof Service.Service>;

/** Operations of a token service that stores records. */
export type StoredTokenOperations = Omit<StoredTokenService, keyof Service.Service>;

/** Consumes a token if a callback succeeds: one overload of `consume`. */
type ConsumeWith = <T, E>(
  token: string,
  options: PurposeOptions,
  apply: (content: TokenContent) => Promise<Result<T, E>>,
) => Promise<Result<T, E> | undefined>;

/** Returns the operation `consume` of a function for each of its overloads. */
export function consumeOperation(
  consumeOnce: (token: string, options: PurposeOptions) => Promise<TokenContent | undefined>,
  consumeWith: ConsumeWith,
): TokenOperations["consume"] {
  function consume(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  function consume<T, E>(...args: Parameters<typeof consumeWith<T, E>>): Promise<Result<T, E> | undefined>;
  function consume<T, E>(
    token: string,
    options: PurposeOptions,
    apply?: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<TokenContent | Result<T, E> | undefined> {
    return apply === undefined ? consumeOnce(token, options) : consumeWith(token, options, apply);
  }
  return consume;
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
