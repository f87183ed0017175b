import { STATUS_CODES } from "node:http";
import { isError } from "../../core/index.ts";
import { hostNamesError, matchHostNames } from "../../config/internal.ts";
import { Log } from "../../log/index.ts";
import { errors } from "../errors.ts";
import { withErrorHeaders } from "../message/error-headers.ts";
import type { Request } from "../message/request.ts";
import { Response, toResponse } from "../message/response.ts";
import { compile } from "../router/compile.ts";
import {
  catchError,
  compose,
  type Handler,
  type HandlerResult,
  mapResponse,
  type Middleware,
  requireMiddlewares,
} from "../router/handler.ts";
import type { Router } from "../router/route.ts";
import { type Fetch, makeFetch } from "./fetch.ts";
import type { Address, Application, RequestObserver, RunningServer, TlsFiles } from "./host.ts";
import { AllowedHosts } from "./allowed-hosts.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { loadHost } from "./load-host.ts";
import { TrustedProxies, trustedProxiesError } from "./trusted-proxies.ts";
import { ServerState } from "./server-state.ts";

/** Options of `createServer`. */
export interface ServerOptions {
  readonly router: Router;
  /** Middlewares around every request, unmatched ones included, the first outermost. Default none. */
  readonly middlewares?: readonly Middleware[];
  /**
   * Makes the response of an error. Default: its status (500 without one) as plain text, with the message of a client
   * error. Every error without a status below 500 is logged first, except E_CLIENT_GONE.
   */
  readonly onError?: (request: Request, error: unknown) => HandlerResult | Promise<HandlerResult>;
  /** Limits per client; see `defaultLimits`. */
  readonly limits?: Partial<Limits>;
  /** Path before every path of the router, without a trailing slash. Default none. */
  readonly prefix?: string;
  /** Host names that are answered, as in `ALLOWED_HOSTS`: `["example.com", "*.example.com"]`. Default all. */
  readonly allowedHosts?: readonly string[];
  /** Addresses and subnets of proxies whose `X-Forwarded-*` headers are trusted. Default none. */
  readonly trustedProxies?: readonly string[];
  /** TLS certificate and key. Default: plain HTTP. */
  readonly tls?: TlsFiles;
  /** Observer of each request that arrives over a socket, and of its response. Default none. */
  readonly observe?: RequestObserver;
}

/** HTTP server of a router, without services, sessions or pages. */
export interface Server {
  /** Handles a Fetch API request without a socket. */
  readonly fetch: Fetch;
  /**
   * Starts listening.
   *
   * @param address default: a free port of 127.0.0.1
   * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN, E_TLS (reject)
   */
  readonly listen: (address?: Partial<Address>) => Promise<RunningServer>;
}

const log = Log.source("limmat.http");

/**
 * Creates a server for a router: the HTTP layer of limmat, for programs that need no more than that.
 *
 * @throws E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE, E_ROUTE_INVALID, E_SERVER_OPTION
 * @example
 * import { choose, createServer, get, Response } from "limmat/http";
 *
 * const server = createServer({ router: get("/hello/:name", ({ params }) => Response.json({ hello: params.name })) });
 * const { address, stop } = await server.listen({ port: 0 });
 */
export function createServer(options: ServerOptions): Server {
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const application = buildPlainApplication(options);
  const allowedHosts = (options.allowedHosts ?? []).join(",");
  const trustedProxies = (options.trustedProxies ?? []).join(",");
  const hostsError = hostNamesError(allowedHosts);
  if (hostsError !== undefined) throw errors.E_SERVER_OPTION("allowedHosts", hostsError);
  const proxiesError = trustedProxiesError(trustedProxies);
  if (proxiesError !== undefined) throw errors.E_SERVER_OPTION("trustedProxies", proxiesError);
  const newState = (): ServerState =>
    new ServerState(application, limits, {
      prefix: options.prefix ?? "",
      allowedHosts: new AllowedHosts(matchHostNames(allowedHosts)),
      trustedProxies: new TrustedProxies(trustedProxies),
    });
  let state = newState();
  return {
    fetch: makeFetch(() => state),
    listen: async ({ host = "127.0.0.1", port = 0, ...socket } = {}) => {
      const started = newState();
      state = started;
      const runtime = await loadHost();
      const { observe, tls } = options;
      const server = await runtime.start({ address: { host, port, ...socket }, limits, state: started, observe, tls });
      started.loadShedder.start();
      return {
        address: server.address,
        stop: () => started.stop(server),
      };
    },
  };
}

function buildPlainApplication({ router, middlewares = [], onError = respondPlainly }: ServerOptions): Application {
  requireMiddlewares(middlewares, "server");
  const respondToError = (request: Request, error: unknown): HandlerResult | Promise<HandlerResult> =>
    mapResponse(onError(request, error), (response) => withErrorHeaders(request, response));
  const recover = (error: unknown, request: Request): HandlerResult | Promise<HandlerResult> => {
    const isServerFault = !isError(error) || error.status === undefined || error.status >= 500;
    if (isServerFault && !isError(error, "E_CLIENT_GONE")) {
      log.error("The request failed", { path: request.path, error });
    }
    return respondToError(request, error);
  };
  const handleErrors: Middleware = (handler) => (request) => catchError(handler, request, recover);
  const notFound: Handler = () => {
    throw errors.E_NOT_FOUND();
  };
  const { handle: route } = compile(router, {
    globalMiddlewares: middlewares,
    notFound,
    methodNotAllowed: async (request, allow) => {
      const response = toResponse(
        await respondToError(request, errors.E_METHOD_NOT_ALLOWED(request.method, allow.split(", "))),
      );
      return response.withHeader("allow", allow);
    },
  });
  return {
    routes: router.routes,
    handle: compose([handleErrors, ...middlewares], route),
    handleOutsidePrefix: compose([handleErrors], notFound),
    handleError: respondToError,
  };
}

function respondPlainly(_request: Request, error: unknown): Response {
  const status = isError(error) ? (error.status ?? 500) : 500;
  const text = isError(error) && error.expose ? error.message : (STATUS_CODES[status] ?? "");
  return Response.text(`${text}\n`, { status });
}
