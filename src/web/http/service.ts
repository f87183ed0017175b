import { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { csrfConfiguration, isCsrfChecked } from "../csrf/configuration.ts";
import { staticConfiguration } from "../static/configuration.ts";
import { type ApplicationDefinition, buildApplication } from "./application.ts";
import { type Address, configuredAddress, configuredPrefix, httpConfiguration } from "./configuration.ts";
import { fetchFrom } from "./fetch.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { type RunningServer, startServer } from "./node-server.ts";
import { routesCommand } from "./routes-command.ts";

/** What the HTTP service is made of. */
export interface HttpDefinition extends ApplicationDefinition {
  /** Default `http`. */
  readonly name?: string;
  /** What clients may ask of the server; see `Limits` for the defaults. */
  readonly limits?: Partial<Limits>;
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
 * E_PORT_FORBIDDEN or E_HOST_UNKNOWN when it cannot listen.
 */
export function service(definition: HttpDefinition): HttpService {
  const { name = "http", router, dependencies = () => [] } = definition;
  const limits: Limits = { ...defaultLimits, ...definition.limits };
  const application = once(() => buildApplication(definition));
  let running: RunningServer | undefined;

  return {
    ...Service.make({
      name,
      implementation: "node:http",
      dependencies,
      configuration: [...httpConfiguration, ...csrfConfiguration, ...staticConfiguration],
      commands: [routesCommand(router)],
      start: async () => {
        const prefix = configuredPrefix();
        running = await startServer(configuredAddress(), { application: application(), limits, prefix });
        if (!isCsrfChecked())
          log.warning("Forms are not checked for CSRF: set CHECK_CSRF to true to check them here, too");
        process.on("unhandledRejection", onUnhandled);
        log.info(`Listening on ${urlOf(running.address)}${prefix}`);
      },
      stop: async () => {
        await running?.stop();
        running = undefined;
        process.off("unhandledRejection", onUnhandled);
      },
    }),
    fetch: fetchFrom(application, limits),
    address: () => running?.address,
  };
}

/** A promise of a request that nobody waits for must not end the process, and with it all other requests. */
function onUnhandled(error: unknown): void {
  log.error("A promise was rejected and nobody waited for it", { error });
}

function urlOf({ host, port }: Address): string {
  const name = host === "127.0.0.1" || host === "::1" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
