import type { Service } from "../../core/index.ts";
import type { Request } from "../../http/message/index.ts";
import type { CompiledRouter, Middleware } from "../../http/router/index.ts";
import type { Application } from "../../http/server/index.ts";

/** Application of the HTTP service: its routes, its handlers, and the services of the run. */
export interface WebApplication extends Application {
  /** Middlewares of all requests, in front of those of the routes. */
  readonly middlewares: readonly Middleware[];
  readonly routesOf: CompiledRouter["routesOf"];
  /** Services of the run; empty while the server has not been started. */
  services: readonly Service.Service[];
}

const isWebApplication = (application: object): application is WebApplication => "routesOf" in application;

/** Returns the application that handles the request; `undefined` for a request that was made without one. */
export function applicationOf(request: Request): WebApplication | undefined {
  const { application } = request.server;
  return application !== undefined && isWebApplication(application) ? application : undefined;
}
