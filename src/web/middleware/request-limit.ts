import type { Decision, Quota } from "../../token-bucket/index.ts";
import { addErrorHeaders } from "../error-headers.ts";
import { errors } from "../errors.ts";
import { type Answer, type Handler, isThenable, mapResponse, type Middleware } from "../handler.ts";
import type { FlatHeaders } from "../header.ts";
import type { Request } from "../request.ts";
import { describe } from "../openapi/description.ts";
import { byAddress } from "../request-limit/client-key.ts";
import type { RequestLimitStore } from "../request-limit/contract.ts";
import { type OnFailure, withFallback } from "../request-limit/fallback.ts";
import { memoryStore } from "../request-limit/memory-store.ts";
import { named } from "./factory.ts";

/** How many requests a client may send. */
export interface RequestLimitOptions extends Quota {
  /** Names the limit, in headers and in the store. Default `default`. */
  readonly name?: string;
  /** Who counts as one client; `undefined` counts nowhere. Default `byAddress`. */
  readonly key?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Where it is counted: a cache, so that all processes count together. Default: a `memoryStore` of its own. */
  readonly store?: RequestLimitStore;
  /**
   * What happens while the store does not answer: `alone`, each process counts for itself, or `refuse`, requests get 503.
   * Default `alone`.
   */
  readonly onFailure?: OnFailure;
}

/**
 * Lets every client send so many requests at once and as many again in each period (a token bucket), and refuses the rest
 * with E_TOO_MANY_REQUESTS (429) and `Retry-After`.
 *
 * Answers say what is left: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). With
 * `onFailure: "refuse"`, requests get E_REQUEST_LIMIT_UNAVAILABLE (503) while the store fails. The factory throws
 * E_REQUEST_LIMIT_INVALID for a limit or period that is not positive.
 *
 * @example
 * const api = Web.choose(routes, { middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, period: Time.minutes(1) })] });
 */
export function requestLimit(options: RequestLimitOptions): Middleware {
  const { limit, period, name = "default", key = byAddress, onFailure = "alone" } = options;
  const store = options.store === undefined ? memoryStore() : withFallback(options.store, onFailure);
  if (!(Number.isInteger(limit) && limit > 0 && period > 0 && Number.isFinite(period)) || !/^[\w.-]+$/.test(name)) {
    throw errors.E_REQUEST_LIMIT_INVALID();
  }
  const quota: Quota = { limit, period };
  const policy = `"${name}";q=${limit};w=${seconds(period)}`;

  const proceed = (handler: Handler, request: Request, decision: Decision): Answer | Promise<Answer> => {
    const state = `"${name}";r=${decision.remaining};t=${seconds(decision.reset)}`;
    const headers: FlatHeaders = ["ratelimit-policy", policy, "ratelimit", state];
    if (!decision.isAllowed) {
      addErrorHeaders(request, [...headers, "retry-after", String(Math.max(1, seconds(decision.retryAfter)))]);
      throw errors.E_TOO_MANY_REQUESTS();
    }
    return mapResponse(handler(request), (response) => response.withDefaultHeaders(headers));
  };

  const count = (handler: Handler, request: Request, client: string | undefined): Answer | Promise<Answer> => {
    if (client === undefined) return handler(request);
    const decision = store.take(`${name} ${client}`, quota);
    if (!isThenable(decision)) return proceed(handler, request, decision);
    return decision.then((settled) => proceed(handler, request, settled));
  };

  const middleware = named("requestLimit", (handler: Handler) => (request: Request) => {
    const client = key(request);
    if (!isThenable(client)) return count(handler, request, client);
    return client.then((known) => count(handler, request, known));
  });
  return describe(middleware, { answers: { 429: "There were too many requests: wait for `Retry-After`" } });
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
