import { Time } from "../../time/index.ts";
import { currentWorker, lazy, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { maintenanceCommand } from "../maintenance/command.ts";
import { openApiCommand } from "../openapi/router.ts";
import {
  configuredAddress,
  configuredSettings,
  configuredTls,
  httpConfiguration,
  isCsrfCheckEnabled,
} from "./configuration.ts";
import { type ApplicationDefinition, buildApplication } from "./application.ts";
import {
  type Address,
  combineObservers,
  defaultLimits,
  hostName,
  type Limits,
  loadHost,
  makeFetch,
  type RequestObserver,
  type HostServer,
  ServerState,
} from "../../http/server/index.ts";
import { routesCommand } from "./routes-command.ts";

export { type Address, defaultLimits, type Limits, type RequestObserver } from "../../http/server/index.ts";

/** Definition of the HTTP service. */
export interface HttpDefinition extends ApplicationDefinition {
  /** Name of the service. Default `http`. */
  readonly name?: string;
  /** Limits on requests and connections; see `Limits` for the defaults. */
  readonly limits?: Partial<Limits>;
  /** True if each response is logged with method, path, status and duration. Default false. */
  readonly accessLog?: boolean;
  /** Callback for each request, such as `Metrics.Web.requests({ metrics })`. Default none. */
  readonly observe?: RequestObserver;
  /** Services that must start before this one and need not be listed. Default none. */
  readonly dependencies?: () => readonly Service.Service[];
}

/** Service that serves the application's router over HTTP. */
export interface HttpService extends Service.Service {
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>;
  /** Returns the address that the server listens on, or `undefined` while it does not listen. */
  readonly address: () => Address | undefined;
}

const log = Log.source("limmat.http");

/**
 * Creates the service that answers HTTP requests. It starts when all other services are ready, and stops first.
 *
 * Its `fetch` answers a web-standard request without a socket, also before the server starts. Starting throws
 * E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN or E_ROUTE_PARAMETER_TWICE for an invalid route table, and E_PORT_TAKEN,
 * E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_HOST_UNPROTECTED, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN or E_TLS if it cannot listen.
 */
export function service(definition: HttpDefinition): HttpService {
  const { name = "http", router, accessLog = false, observe, dependencies = () => [] } = definition;
  const limits: Limits = { ...defaultLimits, ...definition.limits };
  const observers = [...(accessLog ? [logRequest] : []), ...(observe === undefined ? [] : [observe])];
  const application = lazy(() => buildApplication(definition));
  let state: ServerState | undefined;
  let running: HostServer | undefined;

  const start = async ({ services }: { readonly services: readonly Service.Service[] }): Promise<void> => {
    const [address, tls] = [configuredAddress(), configuredTls()];
    application().services = services;
    const newState = new ServerState(application(), limits, configuredSettings());
    const host = await loadHost();
    running = await host.start({ address, limits, state: newState, observe: combineObservers(observers), tls });
    if (address.port === 0) ConfigurationInternals.storeServerPort(running.address.port);
    state = newState;
    newState.loadShedder.start();
    process.on("unhandledRejection", logUnhandledRejection);
    logListening(`${urlOf(running.address, tls !== undefined)}${newState.prefix}`);
  };

  const drain = async (): Promise<void> => {
    const stoppingServer = running;
    running = undefined;
    if (stoppingServer !== undefined) await state?.stop(stoppingServer);
  };

  const stop = async (): Promise<void> => {
    await drain();
    process.off("unhandledRejection", logUnhandledRejection);
  };

  const fetch = makeFetch(() => (state ??= new ServerState(application(), limits, configuredSettings())));
  return {
    ...Service.make({
      name,
      dependencies,
      configuration: httpConfiguration,
      commands: [routesCommand(router), openApiCommand(router), maintenanceCommand()],
      start,
      verify: () => void application(),
      drain,
      stop,
      check: async (context) => (await import("./check.ts")).checkHttp({ fetch, router }, context),
    }),
    // Not read before the configuration is checked.
    get implementation() {
      return hostName();
    },
    fetch,
    address: () => running?.address,
  };
}

/** Keeps the process alive, as exiting would abort other requests. Logs the error, unless another listener does. */
function logUnhandledRejection(error: unknown): void {
  if (process.listeners("unhandledRejection").some((listener) => listener !== logUnhandledRejection)) return;
  log.error("Unhandled promise rejection", { error });
}

/** Logs the URL, and once for all workers that CSRF tokens are not checked. */
function logListening(url: string): void {
  if (!isCsrfCheckEnabled() && (currentWorker()?.number ?? 1) === 1) {
    log.warning("CSRF tokens are not checked: set CHECK_CSRF to true to check them in this environment");
  }
  // Behind the development server this address changes with each restart, and visitors use the one of that server.
  const level = Configuration.readString("DEVELOPMENT_PORT") === undefined ? "info" : "debug";
  log[level](`Listening on ${url}`);
}

function urlOf({ host, port, socketPath }: Address, isSecure: boolean): string {
  if (socketPath !== undefined) return socketPath;
  const name = host === "127.0.0.1" || host === "::1" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${isSecure ? "https" : "http"}://${name}:${port}`;
}

const requestLog = Log.source("limmat.http.access");

const logRequest: RequestObserver = (request) => {
  const start = Time.monotonic();
  // Without the query, which may hold personal data.
  const path = request.target.split("?", 1)[0] ?? "";
  return (status, isCut) => {
    requestLog.info(`${request.method} ${path} ${status ?? "-"}`, {
      method: request.method,
      path,
      status,
      ms: Math.round((Time.monotonic() - start) * 10) / 10,
      client: request.ip,
      request_id: request.id,
      ...(isCut ? { is_cut: true } : {}),
    });
  };
};
