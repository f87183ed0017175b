import { Time } from "../../time/index.ts";
import { withVary } from "../../http/caching/index.ts";
import { originSet } from "../csrf/request-origin.ts";
import { addErrorHeaders, HeaderList, type Request, Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { mapResponse, type Middleware } from "../../http/router/index.ts";
import { withName } from "./factory.ts";

/** Options of the CORS middleware. */
export interface CorsOptions {
  /** Allowed origins, such as `https://example.com`; `"*"` allows all and excludes `credentials`. */
  readonly origins: readonly string[] | "*";
  /** True if requests may carry cookies and credentials. Default false. */
  readonly credentials?: boolean;
  /** Allowed methods. Default GET, HEAD, QUERY, POST, PUT, PATCH and DELETE. */
  readonly methods?: readonly string[];
  /** Request headers allowed besides the safelisted ones. Default `content-type` and `authorization`. */
  readonly allowedHeaders?: readonly string[];
  /** Response headers exposed besides the safelisted ones. Default `x-request-id`. */
  readonly exposedHeaders?: readonly string[];
  /** Time for which browsers may cache a preflight response, in milliseconds. Default 10 minutes. */
  readonly maxAgeMs?: number;
}

/**
 * Lets pages of other origins read responses (CORS, Fetch Standard §3.3). Answers preflight requests itself.
 *
 * CORS does not block requests: a page that may not read the response has still sent the request, so forms need CSRF
 * protection as well. List it first among the middlewares of the router: preflight requests carry no credentials.
 *
 * The factory throws E_ORIGIN_INVALID for an invalid origin, and E_CORS_CREDENTIALS for credentials with `"*"`.
 */
export function cors(options: CorsOptions): Middleware {
  const { origins, credentials = false, maxAgeMs = Time.minutes(10) } = options;
  const { methods = ["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE"] } = options;
  const { allowedHeaders = ["content-type", "authorization"], exposedHeaders = ["x-request-id"] } = options;
  if (origins === "*" && credentials) throw errors.E_CORS_CREDENTIALS();
  const allowedOrigins = origins === "*" ? undefined : originSet(origins);

  const credentialHeaders = credentials ? { "access-control-allow-credentials": "true" } : {};
  const actualHeaders = HeaderList.from({
    ...credentialHeaders,
    ...(exposedHeaders.length > 0 ? { "access-control-expose-headers": exposedHeaders.join(", ") } : {}),
  });
  const preflightHeaders = HeaderList.from({
    ...credentialHeaders,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": allowedHeaders.join(", "),
    "access-control-max-age": String(Math.floor(maxAgeMs / 1000)),
  });

  /** Returns the CORS headers for the origin of a request; none for an origin that is not allowed. */
  const corsHeaders = (request: Request, grantedHeaders: HeaderList): HeaderList => {
    const origin = allowedOrigins === undefined ? "*" : request.header("origin");
    if (origin === undefined || allowedOrigins?.has(origin) === false) return new HeaderList([]);
    return new HeaderList([...HeaderList.from({ "access-control-allow-origin": origin }).flat, ...grantedHeaders.flat]);
  };
  const vary = (response: Response): Response =>
    allowedOrigins === undefined ? response : withVary(response, "origin");

  return withName("cors", (handler) => (request) => {
    if (isPreflight(request)) {
      return vary(Response.empty(204).withDefaultHeaders(corsHeaders(request, preflightHeaders)));
    }
    const headers = corsHeaders(request, actualHeaders);
    addErrorHeaders(request, allowedOrigins === undefined ? headers : [...headers, ["vary", "origin"]]);
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
