import { createHash, timingSafeEqual } from "node:crypto";
import { Configuration } from "../../config/index.ts";
import { Time } from "../../time/index.ts";
import { get, type Http, problem, type Request, Response, type Router } from "../../web/index.ts";
import type { MetricsService } from "./contract.ts";
import { errors } from "./errors.ts";
import { mediaType } from "./exposition.ts";
import { settings } from "./settings.ts";

/** Whose figures are shown, where, and to whom. */
export interface MetricsOptions {
  readonly metrics: MetricsService;
  /** Default `/metrics`. */
  readonly path?: string;
  /** Whether a request may read them; decides in place of the token. */
  readonly allow?: (request: Request) => boolean | Promise<boolean>;
}

/**
 * The page that Prometheus reads, answered even while the server is too busy for others.
 *
 * It is for whoever sends `METRICS_TOKEN` as a bearer token (RFC 6750): E_METRICS_TOKEN (401) otherwise. Without one it is
 * open where `FRAMEWORK_ENV` is set to `development` or `test`, and E_METRICS_CLOSED (404) everywhere else. An address
 * alone opens nothing: behind a proxy on the same machine, every client seems to come from there.
 *
 * @example
 * export const router = Web.choose([site, Metrics.Web.router({ metrics })]);
 */
export function router({ metrics, path = "/metrics", allow }: MetricsOptions): Router {
  const { routes } = get(path, async (request) => {
    if (allow === undefined) {
      const { token } = settings.read();
      if (token === "") demandDevelopment();
      else if (!isSame(bearerOf(request), token)) return refuse(request);
    } else if (!(await allow(request))) throw errors.E_METRICS_CLOSED();
    return Response.text(await metrics.text(), { headers: { "content-type": mediaType, "cache-control": "no-store" } });
  });
  return { routes: routes.map((route) => ({ ...route, isVital: true })) };
}

/**
 * Has the HTTP service count requests, by the names of OpenTelemetry: `http_server_active_requests`, and
 * `http_server_request_duration_seconds` by method, route and status, from the head of the request to the end of the
 * answer. How many there were is its `_count`.
 *
 * The route is the pattern (`Request.route`), empty where none matched; a method that no route can answer is `_OTHER`; the
 * status is empty for clients that went away before an answer. So what clients make up is not kept.
 *
 * @example
 * Web.Http.service({ router, observe: Metrics.Web.requests({ metrics }) });
 */
export function requests({ metrics }: Pick<MetricsOptions, "metrics">): Http.RequestObserver {
  const active = metrics.gauge({ name: "http_server_active_requests", help: "Requests that are being answered" });
  const durations = metrics.histogram({
    name: "http_server_request_duration_seconds",
    help: "Time from the head of a request to the end of its answer",
    labels: ["http_request_method", "http_route", "http_response_status_code"],
  });
  return (request) => {
    const start = Time.monotonic();
    active.add(1);
    return (status) => {
      active.add(-1);
      durations.observe((Time.monotonic() - start) / 1000, {
        http_request_method: known.has(request.method) ? request.method : "_OTHER",
        http_route: request.route ?? "",
        http_response_status_code: status ?? "",
      });
    };
  };
}

const known: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A server on which somebody forgot to say what it is shows nothing. */
function demandDevelopment(): void {
  if (!Configuration.isEnvironmentSet() || Configuration.environment() === "production")
    throw errors.E_METRICS_CLOSED();
}

const bearerOf = (request: Request): string =>
  /^bearer +([\w.~+/-]+=*)$/i.exec(request.header("authorization") ?? "")?.[1] ?? "";

/** Compares in a time that tells nothing, not even the length. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function refuse(request: Request): Response {
  const { status = 401, code, message } = errors.E_METRICS_TOKEN();
  return problem({ status, code, detail: message, headers: { "www-authenticate": "Bearer" } }, request.id);
}
