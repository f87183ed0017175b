import { Log } from "../../log/index.ts";
import { FetchSource, type FetchTarget, targetOf } from "../message/fetch-request.ts";
import { isBodiless } from "../message/fetch-response.ts";
import type { Response } from "../message/response.ts";
import { makeExchange, plainServerError } from "./exchange.ts";
import { readFetchHead } from "./fetch-head.ts";
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
    // The log fields of the request must not reach the caller.
    return Log.withFields({}, () => fetch(request));
  };
}

function fetchWith(state: ServerState): Fetch {
  const exchange = makeExchange<FetchSource, globalThis.Response>(
    {
      send: (source, _request, response) => toFetchResponse(response, source.method),
      canSend: () => true,
      abort: () => plainServerError.toStandard(),
      onSent: () => {},
    },
    state,
  );
  const rules = { maxHeaders: state.maxHeaders, hosts: state.hosts, connection: {} };
  return async (request) => {
    let head: FetchTarget = { target: targetOf(request.url), path: "/", query: "" };
    let rejection: unknown;
    try {
      head = readFetchHead(request, rules, request.headers.get("host") ?? new URL(request.url).host);
    } catch (error) {
      rejection = error;
    }
    return await exchange(new FetchSource(request, state, { head }), head.path, rejection);
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
