import type { Middleware } from "../../http/router/index.ts";

/** Returns a middleware; without options always the same one. */
export type MiddlewareFactory<Options extends object> = (options?: Options) => Middleware;

/** Creates the public factory of a middleware. Without options it returns the same one, so that it runs only once. */
export function middlewareFactory<Options extends object>(
  name: string,
  createMiddleware: (options: Partial<Options>) => Middleware,
): MiddlewareFactory<Options> {
  let defaultMiddleware: Middleware | undefined;
  const makeNamed = (options: Partial<Options>): Middleware => withName(name, createMiddleware(options));
  return (options) => (options === undefined ? (defaultMiddleware ??= makeNamed({})) : makeNamed(options));
}

/** Creates the public factory of a middleware without options. */
export function middlewareGetter(name: string, middleware: Middleware): () => Middleware {
  const namedMiddleware = withName(name, middleware);
  return () => namedMiddleware;
}

/** Sets the name of a middleware, which the command `routes` prints. */
export function withName(name: string, middleware: Middleware): Middleware {
  return Object.defineProperty(middleware, "name", { value: name });
}
