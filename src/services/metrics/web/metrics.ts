import { createHash } from "node:crypto";
import { ConfigurationInternals } from "../../../config/index.ts";
import { methods } from "../../../http/router/index.ts";
import { constantTimeEqual } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import { addErrorHeaders, get, type Http, type Request, Response, type Router } from "../../../web/index.ts";
import type { MetricsService } from "../contract.ts";
import { expositionMediaType } from "../engine/exposition.ts";
import { errors } from "../errors.ts";
import { metricsSettings } from "../service.ts";

/** Options of `Metrics.Web.router`. */
export interface MetricsOptions {
  readonly metrics: MetricsService;
  /** Path of the endpoint. Default `/metrics`. */
  readonly path?: string;
  /** Authorizes a request. Replaces the check of the token. */
  readonly allow?: (request: Request) => boolean | Promise<boolean>;
}

/**
 * Returns the route of the endpoint for Prometheus. It is exempt from load shedding.
 *
 * It requires `METRICS_TOKEN` as a bearer token (RFC 6750), else it responds with E_METRICS_TOKEN (401). If no token is set,
 * it is public where `FRAMEWORK_ENV` is `development` or `test`, and responds with E_METRICS_CLOSED (404) elsewhere. It never
 * trusts client addresses: behind a proxy on the same machine, all clients have a local one.
 *
 * @example
 * export const router = Web.choose([site, Metrics.Web.router({ metrics })]);
 */
export function router({ metrics, path = "/metrics", allow }: MetricsOptions): Router {
  const { routes } = get(path, async (request) => {
    if (allow === undefined) {
      const token = metricsSettings.read().token.reveal();
      if (token === "" && !ConfigurationInternals.hasOpenDeveloperPages()) throw errors.E_METRICS_CLOSED();
      if (token !== "" && !isSameToken(bearerToken(request), token)) {
        request.preferJson();
        addErrorHeaders(request, { "www-authenticate": "Bearer" });
        throw errors.E_METRICS_TOKEN();
      }
    } else if (!(await allow(request))) throw errors.E_METRICS_CLOSED();
    return Response.text(await metrics.text(), {
      headers: { "content-type": expositionMediaType, "cache-control": "no-store" },
    });
  });
  return { routes: routes.map((route) => ({ ...route, bypassesLoadShedding: true })) };
}

const bearerToken = (request: Request): string =>
  /^bearer +([\w.~+/-]+=*)$/i.exec(request.header("authorization") ?? "")?.[1] ?? "";

/** Compares tokens in constant time. Hashing hides the length as well. */
function isSameToken(received: string, expected: string): boolean {
  const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
  return constantTimeEqual(sha256(received), sha256(expected));
}

/** Methods that become label values. Other methods are counted as `_OTHER`, because clients can invent any number of them. */
const knownMethods: ReadonlySet<string> = new Set(methods);

/**
 * Makes an observer that counts requests of the HTTP service, with the names of OpenTelemetry: `http_server_active_requests`,
 * and `http_server_request_duration_seconds` by method, route and status. The duration ends with the response. The number of
 * requests is its `_count`.
 *
 * The route is the pattern (`Request.route`), empty if none matched. An unknown method is `_OTHER`. The status is empty if
 * the client disconnected before a response. So clients cannot create label values.
 *
 * @example
 * Web.Http.service({ router, observe: Metrics.Web.requests({ metrics }) });
 */
export function requests({ metrics }: { readonly metrics: MetricsService }): Http.RequestObserver {
  const activeRequests = metrics.gauge({ name: "http_server_active_requests", help: "Requests in progress" });
  const durations = metrics.histogram({
    name: "http_server_request_duration_seconds",
    help: "Time from the request head to the end of the response",
    labels: ["http_request_method", "http_route", "http_response_status_code"],
  });
  return (request) => {
    const startedAt = Time.monotonic();
    activeRequests.add(1);
    return (status) => {
      activeRequests.add(-1);
      durations.observe((Time.monotonic() - startedAt) / 1000, {
        http_request_method: knownMethods.has(request.method) ? request.method : "_OTHER",
        http_route: request.route ?? "",
        http_response_status_code: status ?? "",
      });
    };
  };
}
