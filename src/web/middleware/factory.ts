import type { Middleware } from "../handler.ts";

/**
 * Makes the function that users call from one that makes a middleware of options.
 *
 * Without options it always gives the same middleware, so that one which is listed in several places is known as one
 * and runs once.
 */
export function factory<Options extends object>(make: (options: Partial<Options>) => Middleware): Factory<Options> {
  let standard: Middleware | undefined;
  return (options) => (options === undefined ? (standard ??= make({})) : make(options));
}

/** Gives a middleware; without options always the same one. */
export type Factory<Options extends object> = (options?: Options) => Middleware;
