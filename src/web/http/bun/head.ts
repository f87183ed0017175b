import { errors } from "../../errors.ts";
import { parseTarget } from "../../path.ts";
import type { Hosts } from "../hosts.ts";

/** What the head of a request says, once it was found to be right. */
export interface Head {
  /** As it came, but that Bun resolves `.` and `..` segments and drops the host of an absolute target. */
  readonly target: string;
  /** Canonical. */
  readonly path: string;
  readonly query: string;
}

/** What a head is measured by. */
export interface HeadRules {
  readonly headerCount: number;
  readonly hosts: Hosts;
  /** The address that the server listens on, unless it is every address. Bun does not tell that of a connection. */
  readonly listening: { readonly localAddress?: string | undefined };
}

/** Bun's count of lines, repeated ones counted once. */
type CountedHeaders = Headers & { readonly count: number };

/**
 * Reads the head of a request and refuses what Bun lets through although two readers could understand it in two ways.
 * Repeated lines have become one by now, their values joined by commas, which is how they are known.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readHead(request: globalThis.Request, { headerCount, hosts, listening }: HeadRules): Head {
  const { method } = request;
  const headers = request.headers as CountedHeaders;
  if (headers.count > headerCount) throw errors.E_HEADERS_TOO_MANY(headerCount);
  if (method === "TRACE" || method === "CONNECT") throw errors.E_METHOD_UNKNOWN(method);
  const target = targetOf(request.url);
  const host = headers.get("host");
  // Bun refuses HTTP/1.1 without a Host itself; HTTP/1.0 needs none.
  if (host !== null) hosts.check(host, listening);
  const { path, query } = parseTarget(target);
  if (method === "GET") return { target, path, query };
  const expectation = headers.get("expect");
  if (expectation !== null && expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  if (isRepeated(headers.get("content-type"))) throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
  return { target, path, query };
}

/** Path and query of a URL; Bun gives the bare target when it cannot make a URL of it and the Host. */
export function targetOf(url: string): string {
  if (!url.startsWith("http")) return url;
  return url.slice(url.indexOf("/", 8));
}

/** A comma outside of quotes does not stand in a media type (RFC 9110 §8.3.1). */
function isRepeated(type: string | null): boolean {
  return type?.includes(",") === true && type.replace(/"(?:[^"\\]|\\.)*"/g, "").includes(",");
}
