import { Time } from "../../time/index.ts";
import { withVary } from "../../http/caching/index.ts";
import { originSet } from "./origin-set.ts";
import { addErrorHeaders, HeaderList, type Request, Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { named } from "./factory.ts";

/** Which pages of other origins may do what. */
export interface CorsOptions {
  /** The origins, as browsers write them; `"*"` for all, which excludes `credentials`. */
  readonly origins: readonly string[] | "*";
  /** Whether requests may carry cookies and log-in data. Default false. */
  readonly credentials?: boolean;
  /** The methods that may be used. Default GET, HEAD, POST, PUT, PATCH and DELETE. */
  readonly methods?: readonly string[];
  /** The headers that may be sent, beside those that every page may send. Default `content-type` and `authorization`. */
  readonly requestHeaders?: readonly string[];
  /** The headers of the answer that may be read, beside those that every page may read. Default `x-request-id`. */
  readonly responseHeaders?: readonly string[];
  /** Milliseconds for which browsers remember the permission. Default 10 minutes. */
  readonly maxAge?: number;
}

/**
 * Lets pages of other origins read the answers (CORS, Fetch Standard §3.3). Answers preflight requests itself.
 *
 * It takes nothing away: who may not read the answer has still sent the request. Forms need CSRF protection all the same.
 * List it first among the middlewares of the router, so that preflight requests, which have no log-in, reach it.
 *
 * The factory throws E_ORIGIN_INVALID for an origin that is none, and E_CORS_CREDENTIALS for credentials from
 * everywhere.
 */
export function cors(options: CorsOptions): Middleware {
  const { origins, credentials = false, maxAge = Time.minutes(10) } = options;
  const { methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] } = options;
  const { requestHeaders = ["content-type", "authorization"], responseHeaders = ["x-request-id"] } = options;
  if (origins === "*" && credentials) throw errors.E_CORS_CREDENTIALS();
  const allowed = origins === "*" ? undefined : originSet(origins);

  const shared = HeaderList.from({
    ...(credentials ? { "access-control-allow-credentials": "true" } : {}),
    ...(responseHeaders.length > 0 ? { "access-control-expose-headers": responseHeaders.join(", ") } : {}),
  });
  const preflight = HeaderList.from({
    ...(credentials ? { "access-control-allow-credentials": "true" } : {}),
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": requestHeaders.join(", "),
    "access-control-max-age": String(Math.floor(maxAge / 1000)),
  });

  /** What a page of the request's origin is allowed, which is nothing for an origin that is not listed. */
  const permissionFor = (request: Request, terms: HeaderList): HeaderList => {
    const origin = allowed === undefined ? "*" : request.header("origin");
    if (origin === undefined || allowed?.has(origin) === false) return new HeaderList([]);
    return new HeaderList([...HeaderList.from({ "access-control-allow-origin": origin }).flat, ...terms.flat]);
  };
  const vary = (response: Response): Response => (allowed === undefined ? response : withVary(response, "origin"));

  return named("cors", (handler: Handler) => (request: Request) => {
    if (isPreflight(request)) {
      return vary(Response.empty(204).withDefaultHeaders(permissionFor(request, preflight)));
    }
    const headers = permissionFor(request, shared);
    addErrorHeaders(request, allowed === undefined ? headers : [...headers, ["vary", "origin"]]);
    return mapResponse(handler(request), (response) => vary(response.withDefaultHeaders(headers)));
  });
}

function isPreflight(request: Request): boolean {
  return (
    request.method === "OPTIONS" &&
    request.header("origin") !== undefined &&
    request.header("access-control-request-method") !== undefined
  );
}
