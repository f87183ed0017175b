import { lookup as resolve } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { ChunkList, isError, type LimmatError } from "../core/index.ts";
import { Time, TimeInternals, withDeadline } from "../time/index.ts";
import { errors } from "./errors.ts";
import { isPublicAddress } from "./public-address.ts";
import { findUrlProblem, hostOf, isAllowedOrigin } from "./target.ts";

/** Options of `Outbound.fetch`. */
export interface OutboundOptions {
  /** Method. Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Maximum duration of the whole exchange, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum size of the response body, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /** True to cut a larger body off after `maxBytes`, instead of throwing E_OUTBOUND_SIZE. Default false. */
  readonly truncate?: boolean;
  /** Cancels the request; the function then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Requests a URL that a user has given, such as that of a webhook or a picture, and returns the response with its whole
 * body. The caller cannot be made to reach services of the own network (OWASP: Server Side Request Forgery):
 *
 * - The URL must begin with `https://`, without user name and password.
 * - The host is resolved once. If one of its addresses is not public, the request is refused; else the connection goes to
 *   these addresses, so that a second answer of the DNS has no effect.
 * - Redirects are not followed: a response with 3xx is returned.
 * - No cookie and no proxy of the environment is used. A compressed body is not decompressed.
 *
 * `OUTBOUND_ALLOWED_ORIGINS` lists origins that need neither https nor a public address, for development.
 *
 * @throws E_OUTBOUND_URL, E_OUTBOUND_ADDRESS (422), E_OUTBOUND_UNAVAILABLE, E_OUTBOUND_SIZE (502)
 * @example
 * const response = await Outbound.fetch(profile.feed_url, { maxBytes: 100_000 });
 * if (response.ok) await importFeed(await response.text());
 */
export async function fetch(url: string | URL, options: OutboundOptions = {}): Promise<globalThis.Response> {
  const { timeoutMs = Time.seconds(10), signal } = options;
  const problem = findUrlProblem(String(url));
  if (problem !== undefined) throw errors.E_OUTBOUND_URL(problem);
  const target = new URL(url);
  const controller = new AbortController();
  return await withDeadline(exchange(target, options, controller.signal), {
    timeoutMs,
    timeoutError: () =>
      errors.E_OUTBOUND_UNAVAILABLE(target.host, `it took longer than ${TimeInternals.formatDuration(timeoutMs)}`),
    signal,
    onGiveUp: () => controller.abort(),
  });
}

async function exchange(url: URL, options: OutboundOptions, signal: AbortSignal): Promise<globalThis.Response> {
  const addresses = await resolvePublic(url);
  signal.throwIfAborted();
  try {
    const message = await send(url, addresses, options, signal);
    const body = await readResponse(message, url, options);
    const status = message.statusCode ?? 0;
    const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new globalThis.Response(bodilessStatuses.has(status) ? null : body, { status, headers });
  } catch (error) {
    throw isError(error, "E_OUTBOUND_SIZE") ? error : failure(url, error);
  }
}

/** Statuses that a `Response` cannot combine with a body. */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

const failure = (url: URL, cause: unknown): LimmatError =>
  errors.E_OUTBOUND_UNAVAILABLE(url.host, cause).causedBy(cause);

/** Returns the addresses of a host. A name without an address, and one with an internal address, fail in the same way. */
async function resolvePublic(url: URL): Promise<readonly LookupAddress[]> {
  const refusal = errors.E_OUTBOUND_ADDRESS(url.hostname);
  let addresses: readonly LookupAddress[];
  try {
    addresses = await resolve(hostOf(url), { all: true });
  } catch (cause) {
    throw refusal.causedBy(cause);
  }
  const isPublic = addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
  if (!isPublic && !isAllowedOrigin(url)) throw refusal;
  return addresses;
}

/** Answers the name lookup of a connection with addresses that were checked. */
const lookupOf =
  (addresses: readonly LookupAddress[]): NonNullable<RequestOptions["lookup"]> =>
  (_, { all }, callback) => {
    if (all === true) return callback(null, [...addresses]);
    for (const { address, family } of addresses.slice(0, 1)) callback(null, address, family);
  };

async function send(
  url: URL,
  addresses: readonly LookupAddress[],
  { method = "GET", headers = {}, body }: OutboundOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Most processes never send such a request.
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return await new Promise((onResponse, onError) => {
    const outgoing = request(url, {
      method,
      headers: { "user-agent": "limmat", "accept-encoding": "identity", ...headers },
      lookup: lookupOf(addresses),
      // A connection of its own: one that is kept could lead to an earlier address.
      agent: false,
      signal,
    });
    outgoing.once("response", onResponse).once("error", onError).end(body);
  });
}

async function readResponse(
  message: IncomingMessage,
  url: URL,
  { maxBytes = 1_048_576, truncate = false }: OutboundOptions,
): Promise<Buffer<ArrayBuffer>> {
  const body = new ChunkList();
  // Leaving the loop closes the connection.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    const isTooLarge = body.size + chunk.length > maxBytes;
    if (isTooLarge && !truncate) throw errors.E_OUTBOUND_SIZE(url.host, maxBytes);
    body.append(chunk.subarray(0, maxBytes - body.size));
    if (isTooLarge) break;
  }
  return body.join() as Buffer<ArrayBuffer>;
}
