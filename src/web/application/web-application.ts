import type { Service } from "../../core/index.ts";
import type { Request } from "../../http/message/index.ts";
import type { CompiledRouter, Handler, Middleware, Route } from "../../http/router/index.ts";
import type { Application } from "../../http/server/index.ts";

/** Application of the HTTP service: its routes, its handlers, and the services of the run. */
export class WebApplication implements Application {
  readonly routes: readonly Route[];
  readonly handle: Handler;
  readonly handleOutsidePrefix: Handler;
  readonly handleError: Application["handleError"];
  /** Middlewares of all requests, in front of those of the routes. */
  readonly middlewares: readonly Middleware[];
  readonly routesOf: CompiledRouter["routesOf"];
  /** Services of the run; empty while the server has not been started. */
  services: readonly Service.Service[] = [];

  constructor(definition: Application & Pick<WebApplication, "middlewares" | "routesOf">) {
    const { routes, handle, handleOutsidePrefix, handleError, middlewares, routesOf } = definition;
    this.routes = routes;
    this.handle = handle;
    this.handleOutsidePrefix = handleOutsidePrefix;
    this.handleError = handleError;
    this.middlewares = middlewares;
    this.routesOf = routesOf;
  }
}

/** Returns the application that handles the request; `undefined` for a request that was made without one. */
export function applicationOf(request: Request): WebApplication | undefined {
  const { application } = request.server;
  return application instanceof WebApplication ? application : undefined;
}
