import { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { openApiCommand } from "../openapi/command.ts";
import { csrfConfiguration, isCsrfChecked } from "../csrf/configuration.ts";
import { staticConfiguration } from "../static/configuration.ts";
import { logAnswer } from "./access-log.ts";
import { type ApplicationDefinition, buildApplication } from "./application.ts";
import { configuredAddress, configuredSettings, configuredTls, httpConfiguration } from "./configuration.ts";
import {
  type Address,
  combineObservers,
  defaultLimits,
  type Limits,
  isBun,
  loadHost,
  makeFetch,
  type RequestObserver,
  type RunningServer,
  ServerState,
} from "../../http/server/index.ts";
import { routesCommand } from "./routes-command.ts";

/** What the HTTP service is made of. */
export interface HttpDefinition extends ApplicationDefinition {
  /** Default `http`. */
  readonly name?: string;
  /** What clients may ask of the server; see `Limits` for the defaults. */
  readonly limits?: Partial<Limits>;
  /** Whether each answer is logged: method, path, status, time. Default false. */
  readonly accessLog?: boolean;
  /** Told of each request that the server answers, such as `Metrics.Web.requests({ metrics })`. Default none. */
  readonly observe?: RequestObserver;
  /** Services that must be started before requests come in. Default none: they start in the order of the list. */
  readonly dependencies?: () => readonly Service.Service[];
}

/** The HTTP service: a server of the application's router. */
export interface HttpService extends Service.Service {
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>;
  /** Where the server listens, or `undefined` while it does not. */
  readonly address: () => Address | undefined;
}

const log = Log.source("limmat.web");

/**
 * Makes the service that answers HTTP requests: register it last, so that it starts when all else runs, and stops first.
 *
 * Its `fetch` answers a web-standard request without a socket, whether the server was started or not. Starting throws
 * E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN or E_ROUTE_PARAMETER_TWICE for a route table that is not right, and E_PORT_TAKEN,
 * E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_HOST_UNPROTECTED, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN or E_TLS when it cannot listen.
 */
export function service(definition: HttpDefinition): HttpService {
  const { name = "http", router, accessLog = false, observe, dependencies = () => [] } = definition;
  const limits: Limits = { ...defaultLimits, ...definition.limits };
  const observers = [...(accessLog ? [logAnswer] : []), ...(observe === undefined ? [] : [observe])];
  const application = once(() => buildApplication(definition));
  let state: ServerState | undefined;
  let running: RunningServer | undefined;

  const start = async ({ services }: { readonly services: readonly Service.Service[] }): Promise<void> => {
    const tls = configuredTls();
    application().services = services;
    const started = new ServerState(application(), limits, configuredSettings());
    running = await (
      await loadHost()
    ).start({
      address: configuredAddress(),
      limits,
      state: started,
      observe: combineObservers(observers),
      tls,
    });
    state = started;
    started.loadShedder.start();
    process.on("unhandledRejection", logUnhandledRejection);
    if (!isCsrfChecked()) {
      log.warning("Forms are not checked for CSRF: set CHECK_CSRF to true to check them here, too");
    }
    log.info(`Listening on ${urlOf(running.address, tls !== undefined)}${started.prefix}`);
  };

  const drain = async (): Promise<void> => {
    state?.beginStop();
    const ending = running;
    running = undefined;
    await ending?.stop();
  };

  const stop = async (): Promise<void> => {
    await drain();
    process.off("unhandledRejection", logUnhandledRejection);
  };

  const fetch = makeFetch(() => (state ??= new ServerState(application(), limits, configuredSettings())));
  return {
    ...Service.make({
      name,
      implementation: isBun ? "Bun.serve" : "node:http",
      dependencies,
      configuration: [...httpConfiguration, ...csrfConfiguration, ...staticConfiguration],
      commands: [routesCommand(router), openApiCommand(router)],
      start,
      drain,
      stop,
      check: async (context) => (await import("./check.ts")).check(fetch, context),
    }),
    fetch,
    address: () => running?.address,
  };
}

/**
 * A promise of a request that nobody waits for must not end the process, and with it all other requests. Who listens
 * beside this, as the command `server` does, tells of it.
 */
function logUnhandledRejection(error: unknown): void {
  if (process.listeners("unhandledRejection").some((listener) => listener !== logUnhandledRejection)) return;
  log.error("A promise was rejected and nobody waited for it", { error });
}

function urlOf({ host, port, socketPath }: Address, isSecure: boolean): string {
  if (socketPath !== undefined) return socketPath;
  const name = host === "127.0.0.1" || host === "::1" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${isSecure ? "https" : "http"}://${name}:${port}`;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
