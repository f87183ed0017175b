import type { IncomingMessage } from "node:http";
import { errors } from "../../errors.ts";
import { parseTarget } from "../../message/target.ts";
import type { AllowedHosts } from "../allowed-hosts.ts";
import { ambiguousFraming, parseLength } from "../body.ts";
import { isHttp2, toHttp1Headers } from "./http2.ts";

/** Parsed head of a request. */
export interface Head {
  /** Header fields, as sent: name, value, name, value. */
  readonly headers: readonly string[];
  /** Canonical path. */
  readonly path: string;
  readonly query: string;
  /** Declared length of the body in bytes; 0 without a body, -1 for a chunked body. */
  readonly declaredBytes: number;
  /** True if the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** True if there is an `X-Forwarded-For` line. */
  readonly isForwarded: boolean;
  /** True if the client requested another protocol. `node:http` drops what follows such a request. */
  readonly isUpgrade: boolean;
}

/** Rules for the head of a request. */
export interface HeadRules {
  readonly maxHeaders: number;
  readonly allowedHosts: AllowedHosts;
}

/**
 * Parses the head of a request. Refuses heads that `node:http` accepts although two parsers could read them differently: no
 * or several `Host` or `Content-Type` lines, an invalid `Host` (RFC 9112 §3.2), an absolute target for another host, and
 * the target `*` without OPTIONS, a `Content-Length` with leading zeros, and `Content_Length` or `Transfer_Encoding`, which
 * some servers read as their names with a hyphen. `node:http` has already checked all other lengths and codings.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readHead(incoming: IncomingMessage, { maxHeaders, allowedHosts }: HeadRules): Head {
  const isOverHttp2 = isHttp2(incoming);
  const raw = isOverHttp2 ? toHttp1Headers(incoming.rawHeaders) : incoming.rawHeaders;
  if (raw.length > maxHeaders * 2) throw errors.E_HEADERS_TOO_MANY(maxHeaders);
  let host: string | undefined;
  let hasType = false;
  let declaredBytes = isOverHttp2 && !incoming.stream.endAfterHeaders ? -1 : 0;
  let expectsContinue = false;
  let hasUpgrade = false;
  let isForwarded = false;
  if (incoming.httpVersionMajor !== 1 && !isOverHttp2) {
    throw errors.E_REQUEST_MALFORMED("is neither HTTP/1.0 nor HTTP/1.1");
  }
  // One index loop over the raw headers, switched by the length of the name: most names are skipped without a comparison.
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    switch (name.length) {
      case 4:
        if (!isNamed(name, "host")) break;
        if (host !== undefined) throw errors.E_REQUEST_MALFORMED("has more than one Host");
        host = raw[index + 1] as string;
        break;
      case 6:
        if (isNamed(name, "expect") && (isOverHttp2 || incoming.httpVersionMinor > 0))
          expectsContinue = isContinue(raw[index + 1] as string);
        break;
      case 7:
        if (isNamed(name, "upgrade")) hasUpgrade = true;
        break;
      case 12:
        if (!isNamed(name, "content-type")) break;
        if (hasType) throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
        hasType = true;
        break;
      case 14:
        if (isNamed(name, "content-length")) declaredBytes = parseLength(raw[index + 1] as string);
        else if (isNamed(name, "content_length")) throw ambiguousFraming(name);
        break;
      case 15:
        if (isX(name) && isNamed(name, "x-forwarded-for")) isForwarded = true;
        break;
      case 17:
        if (isNamed(name, "transfer_encoding")) throw ambiguousFraming(name);
        if (!isNamed(name, "transfer-encoding")) break;
        requireChunked(incoming, raw[index + 1] as string, declaredBytes === -1);
        declaredBytes = -1;
        break;
      default:
    }
  }
  const { path, query } = parseTarget(incoming.url as string);
  checkHost(incoming, host, allowedHosts);
  if (path === "*" && incoming.method !== "OPTIONS") throw errors.E_TARGET_MALFORMED("is * without OPTIONS");
  if (incoming.method === "TRACE") throw errors.E_METHOD_UNKNOWN("TRACE");
  return {
    headers: raw,
    path,
    query,
    declaredBytes,
    expectsContinue,
    isForwarded,
    isUpgrade: hasUpgrade && !isOverHttp2,
  };
}

/** Spares `Accept-Encoding` and `Accept-Language`, which are as long, the comparison. */
const isX = (name: string): boolean => (name.charCodeAt(0) | 0x20) === 0x78;

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.toLowerCase() === wanted;

function isContinue(expectation: string): true {
  if (expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  return true;
}

/**
 * Refuses transfer codings other than chunked. HTTP/1.0 has none (RFC 9112 §6.1), and `node:http` emits `request` before it
 * finds that such a body has no end.
 */
function requireChunked(incoming: IncomingMessage, coding: string, isRepeated: boolean): void {
  if (isRepeated || incoming.httpVersionMinor === 0 || coding.toLowerCase() !== "chunked") {
    throw errors.E_REQUEST_MALFORMED("has a Transfer-Encoding other than chunked");
  }
}

function checkHost(incoming: IncomingMessage, host: string | undefined, allowedHosts: AllowedHosts): void {
  if (host !== undefined) allowedHosts.check(host, incoming.socket);
  else if (incoming.httpVersionMinor > 0 || isHttp2(incoming)) throw errors.E_REQUEST_MALFORMED("has no Host");
  const target = incoming.url as string;
  if (target.charCodeAt(0) === slash || target === "*") return;
  const authority = target.slice(target.indexOf("//") + 2).split(/[/?#]/, 1)[0];
  if (authority?.toLowerCase() !== host?.toLowerCase()) {
    throw errors.E_REQUEST_MALFORMED("names one host in its target and another one in its Host header");
  }
}

const slash = 0x2f;
