import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";

/** What a handler gives: our response, or a web-standard one. */
export type HandlerResult = Response | globalThis.Response;

/** Answers a request. May answer at once, or with a promise; what is answered at once never meets a promise. */
export type Handler<Params extends object = Readonly<Record<string, string>>> = (
  request: Request<Params>,
) => HandlerResult | Promise<HandlerResult>;

/** Wraps a handler in another one, which may act before it, after it, or in its place. */
export interface Middleware {
  (handler: Handler): Handler;
  /** True if the routes behind it answer a client without an `Accept` preference with JSON. Default false. */
  readonly prefersJson?: boolean;
}

/**
 * Wraps a handler in middlewares, the first outermost. One that is listed twice, by identity, wraps once: where it
 * stands first.
 */
export function compose(middlewares: readonly Middleware[], handler: Handler): Handler {
  return [...new Set(middlewares)].reduceRight((inner, middleware) => middleware(inner), handler);
}

/**
 * Changes the response of an answer, and stays synchronous where the answer and the change are.
 *
 * @throws E_RESPONSE_MISSING (or rejects with it) when the answer is no response.
 * @example
 * const teapot: Web.Middleware = (handler) => (request) =>
 *   Web.mapResponse(handler(request), (response) => response.withHeader("x-teapot", "short and stout"));
 */
export function mapResponse(
  answer: HandlerResult | Promise<HandlerResult>,
  change: (response: Response) => HandlerResult | Promise<HandlerResult>,
): HandlerResult | Promise<HandlerResult> {
  if (answer instanceof Response) return change(answer);
  if (answer instanceof Promise) return answer.then((settled) => change(Response.from(settled)));
  return isThenable(answer)
    ? Promise.resolve(answer).then((settled) => change(Response.from(settled)))
    : change(Response.from(answer));
}

/** Runs a handler and turns what it throws, or rejects with, into an answer. Stays synchronous where the handler is. */
export function catchError(
  handler: Handler,
  request: Request,
  recover: (error: unknown, request: Request) => HandlerResult | Promise<HandlerResult>,
): HandlerResult | Promise<HandlerResult> {
  try {
    const answer = handler(request);
    return isThenable(answer) ? Promise.resolve(answer).catch((error: unknown) => recover(error, request)) : answer;
  } catch (error) {
    return recover(error, request);
  }
}

/** Whether an answer is still to come. Any thenable counts: a database library may bring its own promises. */
export function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined)?.then === "function";
}
