import type { Result } from "../../../core/index.ts";
import type { PurposeOptions, TokenContent, TokenService } from "../contract.ts";

/** One overload of `consume`: ends a token. */
export type ConsumeOnce = (token: string, options: PurposeOptions) => Promise<TokenContent | undefined>;

/** The other overload of `consume`: ends a token if a callback succeeds. */
export type ConsumeWith = <T, E>(
  token: string,
  options: PurposeOptions,
  apply: (content: TokenContent) => Promise<Result<T, E>>,
) => Promise<Result<T, E> | undefined>;

/** Returns the operation `consume` of a function for each of its overloads. */
export function consumeOperation(consumeOnce: ConsumeOnce, consumeWith: ConsumeWith): TokenService["consume"] {
  function consume(...args: Parameters<ConsumeOnce>): Promise<TokenContent | undefined>;
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
