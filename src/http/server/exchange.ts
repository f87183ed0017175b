import { isError } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { completeFile } from "../caching/file.ts";
import { FileBody } from "../message/fetch-response.ts";
import { emptyParams, type RequestSource } from "../message/request-source.ts";
import { Request } from "../message/request.ts";
import { Response, toResponse } from "../message/response.ts";
import { errors } from "../errors.ts";
import { type HandlerResult, isThenable } from "../router/handler.ts";
import { methods } from "../router/route.ts";
import type { RequestObserver } from "./host.ts";
import type { ServerState } from "./server-state.ts";

/** Steps of an exchange that depend on the host. `Sent` is the value that the host's own handler returns. */
export interface ExchangeHost<Source extends RequestSource, Sent> {
  /** Sends a response. Rejects when nothing was sent yet, or the body failed half-way. */
  readonly send: (source: Source, request: Request, response: Response) => Sent | Promise<Sent>;
  /** True if a response can still be sent: no header was sent, and the client is connected. */
  readonly canSend: (source: Source) => boolean;
  /** Closes the connection of a response that cannot be completed. */
  readonly abort: (source: Source) => Sent;
}

/**
 * Answers one request: from its parsed head to its sent response.
 *
 * @param path canonical path, with the prefix
 * @param rejection error thrown while the head was parsed; `undefined` for a well-formed head
 */
export type Exchange<Source extends RequestSource, Sent> = (
  source: Source,
  path: string,
  rejection: unknown,
) => Sent | Promise<Sent>;

const log = Log.source("limmat.http");
const allMethods = methods.join(", ");

/** Returns the exchange that a host runs for each request: the life of a request, in the order in which it happens. */
export function makeExchange<Source extends RequestSource, Sent>(
  host: ExchangeHost<Source, Sent>,
  state: ServerState,
  observe?: RequestObserver,
): Exchange<Source, Sent> {
  const { application, prefix } = state;

  function exchange(source: Source, path: string, rejection: unknown): Sent | Promise<Sent> {
    const request = new Request(source, source.method, withoutPrefix(path, prefix), emptyParams);
    if (observe !== undefined) source.onSent(observe(request));
    try {
      const result = rejection === undefined ? dispatch(request, path) : application.handleError(request, rejection);
      return respond(source, request, result);
    } catch (error) {
      return recover(source, request, error);
    }
  }

  /** Chooses what handles the request. The application runs middlewares, router and handler from here. */
  function dispatch(request: Request, path: string): HandlerResult | Promise<HandlerResult> {
    if (path === "*") return Response.empty(204, { headers: { allow: allMethods } });
    if (state.loadShedder.shouldShed && !state.pathsBypassingLoadShedding.has(path)) {
      return application.handleError(request, errors.E_OVERLOADED());
    }
    return isOutsidePrefix(path, prefix) ? application.handleOutsidePrefix(request) : application.handle(request);
  }

  /** Sends the result, or waits for it first. A synchronous handler stays synchronous: no promise is created. */
  function respond(
    source: Source,
    request: Request,
    result: HandlerResult | Promise<HandlerResult>,
  ): Sent | Promise<Sent> {
    if (!(result instanceof Response) && isThenable(result)) {
      return Promise.resolve(result).then(
        (settled) => respondSafely(source, request, settled),
        (error: unknown) => recover(source, request, error),
      );
    }
    const response = toResponse(result);
    const { body } = response;
    if (body instanceof FileBody && (body.isWhole || body.directory !== undefined)) {
      return completeFile(request, response, body)
        .then((completed) => host.send(source, request, completed))
        .catch((error: unknown) => recover(source, request, error));
    }
    const sent = host.send(source, request, response);
    return isThenable(sent) ? sent.catch((error: unknown) => recover(source, request, error)) : sent;
  }

  /** One `then` callback that handles its own errors saves the promise of a further `catch`. */
  function respondSafely(source: Source, request: Request, result: HandlerResult): Sent | Promise<Sent> {
    try {
      return respond(source, request, result);
    } catch (error) {
      return recover(source, request, error);
    }
  }

  /**
   * Handles an error from outside all middlewares, or from sending a body: sends the error response if nothing was
   * sent yet, a plain 500 if that fails as well, and otherwise closes the connection.
   */
  function recover(source: Source, request: Request, error: unknown, isFirst = true): Sent | Promise<Sent> {
    // A client error with a cause comes from the server, such as a file that cannot be read.
    if (isError(error) && error.expose) {
      log[error.cause === undefined ? "debug" : "warning"]("The request failed", { path: request.path, error });
    } else if (!isError(error, "E_CLIENT_GONE")) log.error("The request failed", { path: request.path, error });
    if (!host.canSend(source)) return host.abort(source);
    const retry = (again: unknown): Sent | Promise<Sent> =>
      isFirst ? recover(source, request, again, false) : host.abort(source);
    try {
      const result = isFirst ? application.handleError(request, error) : plainServerError;
      if (!(result instanceof Response) && isThenable(result)) {
        return Promise.resolve(result)
          .then((settled) => host.send(source, request, toResponse(settled)))
          .catch(retry);
      }
      const sent = host.send(source, request, toResponse(result));
      return isThenable(sent) ? sent.catch(retry) : sent;
    } catch (again) {
      return retry(again);
    }
  }

  return exchange;
}

/** Response sent when the error page fails as well. */
export const plainServerError: Response = Response.text("Something went wrong. The error has been recorded.\n", {
  status: 500,
});

/** Returns true for a path outside `PREFIX_PATH`. */
function isOutsidePrefix(path: string, prefix: string): boolean {
  return prefix !== "" && path !== prefix && !(path.startsWith(prefix) && path[prefix.length] === "/");
}

/** Returns the path that the application sees, without the prefix. A path outside the prefix stays as it is. */
function withoutPrefix(path: string, prefix: string): string {
  if (prefix === "" || isOutsidePrefix(path, prefix)) return path;
  return path === prefix ? "/" : path.slice(prefix.length);
}
