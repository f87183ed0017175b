import { isError, LimmatError } from "../../core/index.ts";
import { describeValue, errors } from "../errors.ts";
import type { Request } from "../message/request.ts";
import { Response, toResponse } from "../message/response.ts";

/** Result of a handler: a limmat response or a Fetch API response. */
export type HandlerResult = Response | globalThis.Response;

/** Handles a request, synchronously or with a promise. Synchronous handlers stay synchronous: no promise is created. */
export type Handler<Params extends object = Readonly<Record<string, string>>> = (
  request: Request<Params>,
) => HandlerResult | Promise<HandlerResult>;

/** Wraps a handler in another one, which can run code before it, after it, or in its place. */
export interface Middleware {
  (handler: Handler): Handler;
  /** True if clients without an `Accept` preference get JSON from the routes behind it. Default false. */
  readonly prefersJson?: boolean;
  /** Returns true if the middleware refuses a form whatever its fields are, so that it need not be read. Default: never. */
  readonly refusesForm?: (request: Request) => boolean;
}

/**
 * Wraps a handler in middlewares, the first outermost. One that is listed twice is used once, at its first position.
 *
 * @throws E_ROUTE_INVALID if a middleware returns no handler
 */
export function compose(middlewares: readonly Middleware[], handler: Handler): Handler {
  return [...new Set(middlewares)].reduceRight((inner, middleware) => wrap(middleware, inner), handler);
}

function wrap(middleware: Middleware, handler: Handler): Handler {
  const wrapped = middleware(handler);
  if (typeof wrapped === "function") return wrapped;
  throw errors.E_ROUTE_INVALID(
    `middleware ${middleware.name}`,
    `it returned ${describeValue(wrapped)} instead of a handler`,
    "If it is a function that returns middlewares, call it",
  );
}

/** Checks a list of middlewares when it is declared, for code without type checks. @throws E_ROUTE_INVALID */
export function requireMiddlewares(middlewares: readonly unknown[], subject: string): void {
  requireEntries(middlewares, (entry) => typeof entry === "function", subject, "middlewares");
}

/** Checks the entries of a list, such as the routers of `choose`. @throws E_ROUTE_INVALID */
export function requireEntries(
  list: readonly unknown[],
  isValid: (entry: unknown) => boolean,
  subject: string,
  name: "middlewares" | "routers",
): void {
  if (!Array.isArray(list)) {
    throw errors.E_ROUTE_INVALID(subject, `its ${name} are ${describeValue(list)}`, "Write a list in brackets");
  }
  const index = list.findIndex((entry) => !isValid(entry));
  if (index === -1) return;
  const isList = Array.isArray(list[index]);
  throw errors.E_ROUTE_INVALID(
    subject,
    `entry ${index + 1} of its ${name} is ${describeValue(list[index])}`,
    isList ? "Write three dots before it, as in ...Web.Middleware.site()" : "Remove it, or correct its import or call",
  );
}

/**
 * Maps the response of a handler. Stays synchronous if the handler and `change` are.
 *
 * @throws E_RESPONSE_MISSING (or rejects with it) if the result is not a response
 * @example
 * const teapot: Web.Middleware = (handler) => (request) =>
 *   Web.mapResponse(handler(request), (response) => response.withHeader("x-teapot", "short and stout"));
 */
export function mapResponse(
  result: HandlerResult | Promise<HandlerResult>,
  change: (response: Response) => HandlerResult | Promise<HandlerResult>,
): HandlerResult | Promise<HandlerResult> {
  if (result instanceof Response) return change(result);
  if (result instanceof Promise) return result.then((settled) => change(toResponse(settled)));
  if (isThenable(result)) return Promise.resolve(result).then((settled) => change(toResponse(settled)));
  return change(toResponse(result));
}

/** Returns an error as it is, but an E_RESPONSE_MISSING of `mapResponse` with the route of the request. */
export function withRoute(error: unknown, { matchedRoute }: Request): unknown {
  if (matchedRoute === undefined || !isError(error, "E_RESPONSE_MISSING")) return error;
  const { method, pattern, handlerName } = matchedRoute;
  const handler = `The handler ${handlerName === "" ? "" : `${handlerName} `}of ${method} ${pattern}`;
  const message = error.message.replace(/^A handler/, `${handler}, or one of its middlewares,`);
  return message === error.message ? error : new LimmatError(error.code, message);
}

/** Runs a handler and converts an error or a rejection to a response. Stays synchronous if the handler is. */
export function catchError(
  handler: Handler,
  request: Request,
  recover: (error: unknown, request: Request) => HandlerResult | Promise<HandlerResult>,
): HandlerResult | Promise<HandlerResult> {
  try {
    const result = handler(request);
    return isThenable(result) ? Promise.resolve(result).catch((error: unknown) => recover(error, request)) : result;
  } catch (error) {
    return recover(error, request);
  }
}

/** Returns true for a promise. Any thenable counts, because database libraries may bring their own promises. */
export function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined)?.then === "function";
}
