import type { RateLimitDecision, RateLimit } from "../../token-bucket/index.ts";
import { addErrorHeaders, type Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { type Handler, isThenable, mapResponse, type Middleware } from "../../http/router/index.ts";
import { describe, temporaryFailure } from "../openapi/description.ts";
import { byAddress } from "../request-limit/client-key.ts";
import { memoryStore, type OnFailure, type RequestLimitStore, withFallback } from "../request-limit/store.ts";
import { withName } from "./factory.ts";

/** Options of the request limit middleware. */
export interface RequestLimitOptions extends RateLimit {
  /** Name of the limit, in headers and in the store. Default `default`. */
  readonly name?: string;
  /** Returns the key of the client; requests with `undefined` are not limited. Default `RequestLimit.byAddress`. */
  readonly key?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Store of the counts, such as a cache that all processes share. Default: a new `RequestLimit.memoryStore`. */
  readonly store?: RequestLimitStore;
  /** Behaviour while the store fails: `local` counts in each process, `refuse` answers 503. Default `local`. */
  readonly onFailure?: OnFailure;
}

/**
 * Limits the request rate of each client with a token bucket: a burst of `limit` requests, refilled over `periodMs`.
 * Refuses other requests with E_TOO_MANY_REQUESTS (429) and `Retry-After`.
 *
 * Responses carry the remaining quota in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
 * With `onFailure: "refuse"`, requests get E_REQUEST_LIMIT_UNAVAILABLE (503) while the store fails. The factory throws
 * E_REQUEST_LIMIT_INVALID for a limit or period that is not positive.
 *
 * @example
 * const api = Web.choose(routes, { middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })] });
 */
export function requestLimit(options: RequestLimitOptions): Middleware {
  const { limit, periodMs, name = "default", key = byAddress, onFailure = "local" } = options;
  const store = options.store === undefined ? memoryStore() : withFallback(options.store, onFailure);
  if (!(Number.isInteger(limit) && limit > 0 && periodMs > 0 && Number.isFinite(periodMs)) || !/^[\w.-]+$/.test(name)) {
    throw errors.E_REQUEST_LIMIT_INVALID();
  }
  const rateLimit: RateLimit = { limit, periodMs };
  const policy = `"${name}";q=${limit};w=${seconds(periodMs)}`;

  const proceed = (handler: Handler, request: Request, decision: RateLimitDecision): ReturnType<Handler> => {
    const state = `"${name}";r=${decision.remaining};t=${seconds(decision.resetMs)}`;
    const headers = { "ratelimit-policy": policy, ratelimit: state };
    if (!decision.isAllowed) {
      addErrorHeaders(request, { ...headers, "retry-after": String(Math.max(1, seconds(decision.retryAfterMs))) });
      throw errors.E_TOO_MANY_REQUESTS();
    }
    return mapResponse(handler(request), (response) => response.withDefaultHeaders(headers));
  };

  const consume = (handler: Handler, request: Request, client: string | undefined): ReturnType<Handler> => {
    if (client === undefined) return handler(request);
    const decision = store.consume(`${name} ${client}`, rateLimit);
    if (!isThenable(decision)) return proceed(handler, request, decision);
    return decision.then((resolvedDecision) => proceed(handler, request, resolvedDecision));
  };

  const middleware = withName("requestLimit", (handler) => (request) => {
    const client = key(request);
    if (!isThenable(client)) return consume(handler, request, client);
    return client.then((resolvedClient) => consume(handler, request, resolvedClient));
  });
  return describe(middleware, {
    responses: {
      429: temporaryFailure("Too many requests: wait for `Retry-After`"),
      ...(onFailure === "refuse" ? { 503: temporaryFailure("Requests cannot be counted: try again later") } : {}),
    },
  });
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);
