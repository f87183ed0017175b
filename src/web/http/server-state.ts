import type { Service } from "../../core/index.ts";
import type { RequestServer } from "../request-server.ts";
import { pathsByName } from "../router/link.ts";
import type { Route, Router } from "../router/route.ts";
import { configuredHosts, configuredPrefix, configuredProxies } from "./configuration.ts";
import type { Hosts } from "./hosts.ts";
import type { Limits } from "./limits.ts";
import { Overload } from "./overload.ts";
import type { Proxies } from "./proxies.ts";

/** What the requests of a server share: its settings, read once, and how far its life has come. */
export class ServerState implements RequestServer {
  readonly prefix: string;
  readonly bodyLimit: number;
  readonly parameterLimit: number;
  readonly bodyTime: number;
  readonly requestTime: number;
  readonly headerCount: number;
  readonly paths: ReadonlyMap<string, string>;
  readonly routes: readonly Route[];
  readonly proxies: Proxies;
  readonly hosts: Hosts;
  readonly services: readonly Service.Service[];
  readonly overload: Overload;
  /** The paths that are answered even when the server is too busy for others. */
  readonly vitalPaths: ReadonlySet<string>;
  readonly #stopping = new AbortController();
  // Asked for by every response, and a signal takes its time to say it.
  #isStopping = false;

  constructor(router: Router, limits: Limits, services: readonly Service.Service[]) {
    this.prefix = configuredPrefix();
    this.bodyLimit = limits.bodySize;
    this.parameterLimit = limits.parameters;
    this.bodyTime = limits.bodyTime;
    this.requestTime = limits.requestTime;
    this.headerCount = limits.headerCount;
    this.paths = pathsByName(router);
    this.routes = router.routes;
    this.proxies = configuredProxies();
    this.hosts = configuredHosts();
    this.services = services;
    this.overload = new Overload(limits.delay);
    this.vitalPaths = new Set(router.routes.filter(({ isVital }) => isVital).map(({ path }) => this.prefix + path));
  }

  /** Aborted when the server begins to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on, connections end with the answer that is given on them. */
  beginStop(): void {
    this.overload.stop();
    this.#isStopping = true;
    this.#stopping.abort();
  }
}
