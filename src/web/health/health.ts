import type { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { applicationOf } from "../application/web-application.ts";
import { choose, get, type Router } from "../../http/router/index.ts";

/** Where health is asked for, and how long an answer may take. */
export interface HealthOptions {
  /** Default `/health`. */
  readonly path?: string;
  /** Milliseconds that a service has to say that it is well. Default 5 s. */
  readonly patience?: number;
}

const log = Log.source("limmat.web.health");

/**
 * Two addresses for load balancers and orchestrators, answered even while the server is too busy for others.
 *
 * `/health/live` is 200 as long as the process answers at all: restart it when it does not. `/health/ready` is 200 when all
 * services say that they can work, 503 with their names when one cannot or the server is stopping: send it no requests
 * then. What exactly is wrong is in the log.
 */
export function router({ path = "/health", patience = Time.seconds(5) }: HealthOptions = {}): Router {
  let asking: Promise<Report> | undefined;
  const ready = async (request: Request): Promise<Response> => {
    const services = applicationOf(request)?.services ?? [];
    if (request.server.isStopping) return answer(503, { status: "stopping" });
    // However many ask at once, the services are asked once.
    asking ??= ask(services, patience).finally(() => (asking = undefined));
    const report = await asking;
    const isReady = Object.values(report).every((state) => state === "ok");
    return answer(isReady ? 200 : 503, { status: isReady ? "ready" : "not ready", services: report });
  };
  const { routes } = choose([get("/live", () => answer(200, { status: "live" })), get("/ready", ready)], {
    scope: path,
  });
  return { routes: routes.map((route) => ({ ...route, bypassesLoadShedding: true })) };
}

type Report = Readonly<Record<string, "ok" | "failed">>;

async function ask(services: readonly Service.Service[], patience: number): Promise<Report> {
  const asked = services.filter(({ health }) => health !== undefined);
  const states = await Promise.all(
    asked.map(async (service) => [service.name, await stateOf(service, patience)] as const),
  );
  return Object.fromEntries(states);
}

async function stateOf(service: Service.Service, patience: number): Promise<"ok" | "failed"> {
  const ending = new AbortController();
  const late = Time.sleep(patience, { signal: ending.signal }).then(() => {
    throw new Error(`It did not answer within ${patience} ms`);
  });
  try {
    await Promise.race([service.health?.(), late]);
    return "ok";
  } catch (error) {
    log.warning(`The service "${service.name}" is not ready`, { error });
    return "failed";
  } finally {
    ending.abort();
    late.catch(() => {});
  }
}

function answer(status: number, report: unknown): Response {
  return Response.json(report, { status, headers: { "cache-control": "no-store" } });
}
