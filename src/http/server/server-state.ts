import { Time } from "../../time/index.ts";
import { BackgroundWork } from "../message/background-work.ts";
import type { ServerContext } from "../message/request-source.ts";
import { pathsByName } from "../router/link.ts";
import type { Application, HostServer } from "./host.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import type { Limits } from "./limits.ts";
import { LoadShedder } from "./load-shedder.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Settings of a server that its requests share. */
export interface ServerSettings {
  /** Path before every path of the application, without a trailing slash, or an empty string. */
  readonly prefix: string;
  readonly allowedHosts: AllowedHosts;
  readonly trustedProxies: TrustedProxies;
}

/** State that all requests of a server share: its configuration, read once, and its life cycle. */
export class ServerState implements ServerContext {
  readonly application: Application;
  readonly prefix: string;
  readonly maxBodyBytes: number;
  readonly maxParameters: number;
  readonly bodyTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxHeaders: number;
  readonly namedPaths: ServerContext["namedPaths"];
  readonly trustedProxies: TrustedProxies;
  readonly allowedHosts: AllowedHosts;
  readonly drainTimeoutMs: number;
  readonly backgroundWork: BackgroundWork = new BackgroundWork();
  readonly loadShedder: LoadShedder;
  /** Paths that are answered even while the server sheds load. */
  readonly pathsBypassingLoadShedding: ReadonlySet<string>;
  readonly #stopping = new AbortController();
  // Read for every response: a field is cheaper than `AbortSignal.aborted`.
  #isStopping = false;

  constructor(application: Application, limits: Limits, { prefix, allowedHosts, trustedProxies }: ServerSettings) {
    const { routes } = application;
    this.application = application;
    this.prefix = prefix;
    this.maxBodyBytes = limits.maxBodyBytes;
    this.maxParameters = limits.maxParameters;
    this.bodyTimeoutMs = limits.bodyTimeoutMs;
    this.requestTimeoutMs = limits.requestTimeoutMs;
    this.maxHeaders = limits.maxHeaders;
    this.drainTimeoutMs = limits.drainTimeoutMs;
    this.namedPaths = pathsByName(routes);
    this.trustedProxies = trustedProxies;
    this.allowedHosts = allowedHosts;
    this.loadShedder = new LoadShedder(limits.maxEventLoopDelayMs);
    this.pathsBypassingLoadShedding = new Set(
      routes.filter((route) => route.bypassesLoadShedding).map(({ path }) => prefix + path),
    );
  }

  /** Aborted when the server begins to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Stops a server: no new connections, then the responses in flight, then the work after them, within `drainTimeoutMs`. */
  async stop(server: HostServer): Promise<void> {
    // A client that reads `Connection: close` connects anew: the listener must be closed by then.
    await server.closeListener();
    const deadlineMs = Time.monotonic() + this.drainTimeoutMs;
    this.loadShedder.stop();
    this.#isStopping = true;
    this.#stopping.abort();
    await server.stop();
    await this.backgroundWork.finish(deadlineMs);
  }
}
