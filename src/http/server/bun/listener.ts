import { errors } from "../../errors.ts";
import { isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { type FetchTarget } from "../../message/fetch-request.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import type { Request } from "../../message/request.ts";
import type { Response } from "../../message/response.ts";
import { isThenable } from "../../router/handler.ts";
import { makeExchange, plainServerError } from "../exchange.ts";
import { type FetchHeadRules, readFetchHead } from "../fetch.ts";
import type { ServerDefinition } from "../host.ts";
import type { ServerState } from "../server-state.ts";
import type { BunServer } from "./api.ts";
import { makeFetchResponse, send } from "./send.ts";
import { BunSource, type BunSourceOptions } from "./source.ts";

type Sent = globalThis.Response | Promise<globalThis.Response>;

/** Handles one request of `Bun.serve`. */
export type Listener = (incoming: globalThis.Request, server: BunServer) => Sent;

const log = Log.source("limmat.http");

/** Returns the `fetch` option of `Bun.serve`: parses the head, then runs the exchange (`../exchange.ts`). */
export function makeListener(
  { state, observe }: Pick<ServerDefinition, "state" | "observe">,
  options: FetchHeadRules & BunSourceOptions,
): Listener {
  const exchange = makeExchange<BunSource, globalThis.Response>(
    {
      send: (source, request, response) => sendResponse(source, request, response, state, options.idleTimeoutSeconds),
      canSend: () => true,
      abort: () => plainServerError.toStandard(),
    },
    state,
    observe,
  );

  return (incoming, server) => {
    let head: FetchTarget = { target: targetOfBun(incoming.url), path: "/", query: "" };
    let rejection: unknown;
    try {
      head = readFetchHead(incoming, head.target, incoming.headers.get("host"), options);
      requireSingleContentType(incoming);
    } catch (error) {
      rejection = error;
    }
    const source = new BunSource(incoming, server, state, head, options);
    source.isRejected = rejection !== undefined;
    const sent = exchange(source, head.path, rejection);
    // The client is not idle while the handler works.
    if (isThenable(sent)) source.setIdleTimeout(0);
    return sent;
  };
}

function sendResponse(
  source: BunSource,
  request: Request,
  response: Response,
  state: ServerState,
  idleTimeoutSeconds: number,
): Sent {
  source.setIdleTimeout(idleTimeoutSeconds);
  const isHead = source.method === "HEAD";
  const closesConnection = source.isRejected || state.isStopping || source.hasUnreadBody;
  // Fast path of nearly every response.
  if (typeof response.body === "string" && !isHead && !closesConnection && !isBodiless(response.status)) {
    source.end(response.status, false);
    return makeFetchResponse(response.status, response.headerLists, response.body);
  }
  const sent = send(response, {
    isHead,
    closesConnection,
    stopping: state.stopping,
    setWaitingFor: (party) => source.setIdleTimeout(party === "client" ? idleTimeoutSeconds : 0),
    onEnd: (error) => {
      if (error !== undefined) logFailure(request, error);
      source.end(response.status, error !== undefined);
    },
  });
  if (!isThenable(sent)) return sent;
  return sent.then((fetchResponse) => {
    source.status = response.status;
    return fetchResponse;
  });
}

function logFailure(request: Request, error: unknown): void {
  if (!isError(error, "E_CLIENT_GONE")) log.error("The request failed", { path: request.path, error });
}

/**
 * Refuses a request with two `Content-Type` lines. Bun joins repeated lines by commas, and a comma outside quotes is not
 * part of a media type (RFC 9110 §8.3.1).
 *
 * @throws E_REQUEST_MALFORMED
 */
function requireSingleContentType({ method, headers }: globalThis.Request): void {
  const type = method === "GET" ? null : headers.get("content-type");
  if (type?.includes(",") === true && type.replace(/"(?:[^"\\]|\\.)*"/g, "").includes(",")) {
    throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
  }
}

/** Returns the target as Bun gives it: a fragment, which no target may have, is kept, and a URL without a host as it is. */
function targetOfBun(url: string): string {
  return url.startsWith("http") ? url.slice(url.indexOf("/", url.indexOf("://") + 3)) : url;
}
