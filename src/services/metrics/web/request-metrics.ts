import { Time } from "../../../time/index.ts";
import type { Http } from "../../../web/index.ts";
import type { MetricsService } from "../contract.ts";

/** Methods that become label values. Other methods are counted as `_OTHER`, because clients can invent any number of them. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

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
