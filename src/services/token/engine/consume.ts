import type { Result } from "../../../core/index.ts";
import type { PurposeOptions, TokenContent, TokenService } from "../contract.ts";

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
): TokenService["consume"] {
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
