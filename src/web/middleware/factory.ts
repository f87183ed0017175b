import type { Middleware } from "../../http/router/index.ts";

/**
 * Makes the function that users call from one that makes a middleware of options.
 *
 * Without options it always gives the same middleware, so that one which is listed in several places is known as one
 * and runs once.
 */
export function factory<Options extends object>(
  name: string,
  make: (options: Partial<Options>) => Middleware,
): Factory<Options> {
  let standard: Middleware | undefined;
  const makeNamed = (options: Partial<Options>): Middleware => named(name, make(options));
  return (options) => (options === undefined ? (standard ??= makeNamed({})) : makeNamed(options));
}

/** Gives a middleware the name under which `routes` shows it. */
export function named(name: string, middleware: Middleware): Middleware {
  return Object.defineProperty(middleware, "name", { value: name });
}

/** Gives a middleware; without options always the same one. */
export type Factory<Options extends object> = (options?: Options) => Middleware;
