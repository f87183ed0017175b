import { errors } from "../errors.ts";
import { type FetchTarget, targetOf } from "../message/fetch-request.ts";
import { parseTarget } from "../message/path.ts";
import type { Hosts } from "./hosts.ts";

/** Rules for the head of a request. */
export interface FetchHeadRules {
  readonly maxHeaders: number;
  readonly hosts: Hosts;
  /** Local address of the connection, where it is known. */
  readonly connection: { readonly localAddress?: string | undefined };
}

/** Headers in Bun, which count repeated lines once. */
type CountedHeaders = Headers & { readonly count?: number };

/**
 * Parses the head of a Fetch API request and rejects what two parsers could read differently.
 *
 * Repeated header lines were joined by commas before, which is how they are recognised.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readFetchHead(request: globalThis.Request, rules: FetchHeadRules, host: string | null): FetchTarget {
  const { method } = request;
  const headers = request.headers as CountedHeaders;
  if ((headers.count ?? countOf(headers)) > rules.maxHeaders) throw errors.E_HEADERS_TOO_MANY(rules.maxHeaders);
  if (method === "TRACE" || method === "CONNECT") throw errors.E_METHOD_UNKNOWN(method);
  const target = targetOf(request.url);
  // HTTP/1.0 needs no Host. Bun itself rejects HTTP/1.1 without one.
  if (host !== null) rules.hosts.check(host, rules.connection);
  const { path, query } = parseTarget(target);
  if (method === "GET") return { target, path, query };
  const expectation = headers.get("expect");
  if (expectation !== null && expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  if (isRepeated(headers.get("content-type"))) throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
  return { target, path, query };
}

function countOf(headers: Headers): number {
  let count = 0;
  for (const _ of headers) count += 1;
  return count;
}

/** Returns true for a joined list: a comma outside quotes is not part of a media type (RFC 9110 §8.3.1). */
function isRepeated(type: string | null): boolean {
  return type?.includes(",") === true && type.replace(/"(?:[^"\\]|\\.)*"/g, "").includes(",");
}
