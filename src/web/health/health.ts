import type { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time, withDeadline } from "../../time/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { applicationOf } from "../application/web-application.ts";
import { choose, get, type Router } from "../../http/router/index.ts";

/** Options of the health routes. */
export interface HealthOptions {
  /** Path prefix of the routes. Default `/health`. */
  readonly path?: string;
  /** Timeout of the health check of one service, in milliseconds. Default 5 s. */
  readonly timeoutMs?: number;
}

const log = Log.source("limmat.http.health");

/**
 * Creates two routes for load balancers and orchestrators. Both bypass load shedding.
 *
 * `/health/live` is 200 as long as the process answers: restart the process when it does not. `/health/ready` is 200 if
 * the health checks of all services pass. It is 503 with the state of each service if one fails, and while the server
 * stops: send no requests then. The log holds the errors.
 */
function healthRouter({ path = "/health", timeoutMs = Time.seconds(5) }: HealthOptions = {}): Router {
  let pendingReport: Promise<HealthReport> | undefined;
  const ready = async (request: Request): Promise<Response> => {
    const services = applicationOf(request)?.services ?? [];
    if (request.server.isStopping) return healthResponse(503, { status: "stopping" });
    // Concurrent requests share one round of checks.
    pendingReport ??= checkServices(services, timeoutMs).finally(() => (pendingReport = undefined));
    const report = await pendingReport;
    const isReady = Object.values(report).every((state) => state === "ok");
    return healthResponse(isReady ? 200 : 503, { status: isReady ? "ready" : "not ready", services: report });
  };
  const { routes } = choose([get("/live", () => healthResponse(200, { status: "live" })), get("/ready", ready)], {
    scope: path,
  });
  return { routes: routes.map((route) => ({ ...route, bypassesLoadShedding: true })) };
}

type HealthReport = Readonly<Record<string, "ok" | "failed">>;

async function checkServices(services: readonly Service.Service[], timeoutMs: number): Promise<HealthReport> {
  const checkedServices = services.filter(({ health }) => health !== undefined);
  const states = await Promise.all(
    checkedServices.map(async (service) => [service.name, await checkService(service, timeoutMs)] as const),
  );
  return Object.fromEntries(states);
}

async function checkService(service: Service.Service, timeoutMs: number): Promise<"ok" | "failed"> {
  const timeoutError = (): Error => new Error(`The health check did not finish within ${timeoutMs} ms`);
  try {
    await withDeadline((async () => service.health?.())(), { timeoutMs, timeoutError });
    return "ok";
  } catch (error) {
    log.warning(`The service "${service.name}" is not ready`, { error });
    return "failed";
  }
}

function healthResponse(status: number, report: unknown): Response {
  return Response.json(report, { status, headers: { "cache-control": "no-store" } });
}

export { healthRouter as router };
