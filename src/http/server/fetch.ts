import { AsyncLocalStorage } from "node:async_hooks";
import { errors } from "../errors.ts";
import { FetchSource, type FetchTarget, targetOf } from "../message/fetch-request.ts";
import { isBodiless } from "../message/fetch-response.ts";
import type { Response } from "../message/response.ts";
import { parseTarget } from "../message/target.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { ambiguousFraming, parseLength } from "./body.ts";
import { makeExchange, plainServerError } from "./exchange.ts";
import type { ServerState } from "./server-state.ts";

/** Handles a Fetch API request. */
export type Fetch = (request: globalThis.Request) => Promise<globalThis.Response>;

/**
 * Returns a function that handles Fetch API requests without a socket, through the exchange that the server runs too:
 * path prefix, allowed hosts, load shedding and limits apply.
 */
export function makeFetch(stateOf: () => ServerState): Fetch {
  let current: { readonly state: ServerState; readonly fetch: Fetch } | undefined;
  return (request) => {
    const state = stateOf();
    if (current?.state !== state) current = { state, fetch: fetchWith(state) };
    const { fetch } = current;
    // The log fields and the language of the request must not reach the caller.
    return AsyncLocalStorage.snapshot()(fetch, request);
  };
}

function fetchWith(state: ServerState): Fetch {
  const exchange = makeExchange<FetchSource, globalThis.Response>(
    {
      send: (source, _request, response) => toFetchResponse(response, source.method),
      canSend: () => true,
      abort: () => plainServerError.toStandard(),
    },
    state,
  );
  const rules = { maxHeaders: state.maxHeaders, allowedHosts: state.allowedHosts, connection: {} };
  // The caller in this process takes the place of a connection from this machine.
  const isFromTrustedProxy = state.trustedProxies.includes("127.0.0.1");
  return async (request) => {
    let head: FetchTarget = { target: targetOf(request.url), path: "/", query: "" };
    let rejection: unknown;
    try {
      head = readFetchHead(request, head.target, request.headers.get("host") ?? new URL(request.url).host, rules);
    } catch (error) {
      rejection = error;
    }
    const source = new FetchSource(request, state, { head, isFromTrustedProxy });
    const response = await exchange(source, head.path, rejection);
    await source.end(response.status);
    return response;
  };
}

/** Returns the Fetch API response that a client of the server would see: with its length, without a body for HEAD. */
function toFetchResponse(response: Response, method: string): globalThis.Response {
  const { body, status } = response;
  const isComplete = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  const length = body === undefined ? 0 : isComplete ? Buffer.byteLength(body) : undefined;
  const measured =
    length === undefined || isBodiless(status) ? response : response.withHeader("content-length", String(length));
  return (method === "HEAD" ? measured.withBody(undefined) : measured).toStandard();
}

/** Rules for the head of a request. */
export interface FetchHeadRules {
  readonly maxHeaders: number;
  readonly allowedHosts: AllowedHosts;
  /** Local address of the connection, where it is known. */
  readonly connection: { readonly localAddress?: string | undefined };
}

/** Headers in Bun, which count repeated lines once. */
type CountedHeaders = Headers & { readonly count?: number };

/**
 * Parses the head of a Fetch API request and refuses a head that two parsers could read differently.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readFetchHead(
  request: globalThis.Request,
  target: string,
  host: string | null,
  rules: FetchHeadRules,
): FetchTarget {
  const { method } = request;
  const headers = request.headers as CountedHeaders;
  if ((headers.count ?? countOf(headers)) > rules.maxHeaders) throw errors.E_HEADERS_TOO_MANY(rules.maxHeaders);
  checkFraming(headers);
  if (method === "TRACE" || method === "CONNECT") throw errors.E_METHOD_UNKNOWN(method);
  // HTTP/1.0 needs no Host. Bun itself rejects HTTP/1.1 without one.
  if (host !== null) rules.allowedHosts.check(host, rules.connection);
  const { path, query } = parseTarget(target);
  if (method === "GET") return { target, path, query };
  const expectation = headers.get("expect");
  if (expectation !== null && expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  return { target, path, query };
}

/** Refuses what `readHead` of the Node host refuses about the length of the body. */
function checkFraming(headers: Headers): void {
  if (headers.has("content_length")) throw ambiguousFraming("Content_Length");
  if (headers.has("transfer_encoding")) throw ambiguousFraming("Transfer_Encoding");
  const length = headers.get("content-length");
  if (length !== null) parseLength(length);
}

function countOf(headers: Headers): number {
  let count = 0;
  for (const _ of headers) count += 1;
  return count;
}
