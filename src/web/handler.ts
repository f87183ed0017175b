import type { Request } from "./request.ts";
import { Response } from "./response.ts";

/** What a handler gives: our response, or a web-standard one. */
export type Answer = Response | globalThis.Response;

/** Answers a request. May answer at once, or with a promise; what is answered at once never meets a promise. */
export type Handler<Params extends object = Readonly<Record<string, string>>> = (
  request: Request<Params>,
) => Answer | Promise<Answer>;

/** Wraps a handler in another one. What it does on the way in and out is up to it. */
export type Middleware = (handler: Handler) => Handler;

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
  answer: Answer | Promise<Answer>,
  change: (response: Response) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
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
  recover: (error: unknown, request: Request) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
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
