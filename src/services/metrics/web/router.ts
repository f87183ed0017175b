import { createHash } from "node:crypto";
import { ConfigurationInternals } from "../../../config/index.ts";
import { constantTimeEqual } from "../../../random/index.ts";
import { addErrorHeaders, get, type Request, Response, type Router } from "../../../web/index.ts";
import type { MetricsService } from "../contract.ts";
import { expositionMediaType } from "../engine/exposition.ts";
import { errors } from "../errors.ts";
import { metricsSettings } from "../settings.ts";

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
      const { token } = metricsSettings.read();
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
