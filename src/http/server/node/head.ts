import type { IncomingMessage } from "node:http";
import { errors } from "../../errors.ts";
import type { Hosts } from "../hosts.ts";
import { isBodyless, isHttp2, plainHeaders } from "./http2.ts";
import { parseTarget } from "../../message/path.ts";

/** What the head of a request says, once it was found to be right. */
export interface Head {
  /** As sent: name, value, name, value. */
  readonly headers: readonly string[];
  /** Canonical. */
  readonly path: string;
  readonly query: string;
  /** Bytes of the body; 0 when there is none, -1 when it comes in chunks. */
  readonly declared: number;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** Whether the client asked for another protocol: `node:http` drops what came behind such a request. */
  readonly isUpgrade: boolean;
}

/** What a head is measured by. */
export interface HeadRules {
  readonly maxHeaders: number;
  readonly hosts: Hosts;
}

/**
 * Reads the head of a request and refuses what `node:http` lets through although two readers could understand it in two
 * ways: no or several `Host` or `Content-Type` lines, a `Host` that is no host (RFC 9112 §3.2), an absolute target for
 * another host, a target of `*` without OPTIONS. Length and transfer coding were checked by the parser.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readHead(incoming: IncomingMessage, { maxHeaders, hosts }: HeadRules): Head {
  const isNew = isHttp2(incoming);
  const raw = isNew ? plainHeaders(incoming.rawHeaders) : incoming.rawHeaders;
  if (raw.length > maxHeaders * 2) throw errors.E_HEADERS_TOO_MANY(maxHeaders);
  let host: string | undefined;
  let hasType = false;
  let declared = isNew && !isBodyless(incoming) ? -1 : 0;
  let isWaiting = false;
  let isLast = false;
  if (incoming.httpVersionMajor !== 1 && !isNew) throw errors.E_REQUEST_MALFORMED("is neither HTTP/1.0 nor HTTP/1.1");
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    switch (name.length) {
      case 4:
        if (!isNamed(name, "host")) break;
        if (host !== undefined) throw errors.E_REQUEST_MALFORMED("has more than one Host");
        host = raw[at + 1] as string;
        break;
      case 6:
        if (isNamed(name, "expect") && (isNew || incoming.httpVersionMinor > 0))
          isWaiting = isContinue(raw[at + 1] as string);
        break;
      case 7:
        if (isNamed(name, "upgrade")) isLast = true;
        break;
      case 12:
        if (!isNamed(name, "content-type")) break;
        if (hasType) throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
        hasType = true;
        break;
      case 14:
        if (isNamed(name, "content-length")) declared = Number(raw[at + 1]);
        break;
      case 17:
        if (!isNamed(name, "transfer-encoding")) break;
        demandChunked(incoming, raw[at + 1] as string, declared === -1);
        declared = -1;
        break;
      default:
    }
  }
  const { path, query } = parseTarget(incoming.url as string);
  checkHost(incoming, host, hosts);
  if (path === "*" && incoming.method !== "OPTIONS") throw errors.E_TARGET_MALFORMED("is * without OPTIONS");
  if (incoming.method === "TRACE") throw errors.E_METHOD_UNKNOWN("TRACE");
  return { headers: raw, path, query, declared, expectsContinue: isWaiting, isUpgrade: isLast && !isNew };
}

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.toLowerCase() === wanted;

function isContinue(expectation: string): true {
  if (expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  return true;
}

/**
 * We know one coding, HTTP/1.0 knows none (RFC 9112 §6.1), and `node:http` calls the listener before it finds out that the
 * body has no end.
 */
function demandChunked(incoming: IncomingMessage, coding: string, isRepeated: boolean): void {
  if (isRepeated || incoming.httpVersionMinor === 0 || coding.toLowerCase() !== "chunked") {
    throw errors.E_REQUEST_MALFORMED("has a Transfer-Encoding other than chunked");
  }
}

function checkHost(incoming: IncomingMessage, host: string | undefined, hosts: Hosts): void {
  if (host !== undefined) hosts.check(host, incoming.socket);
  else if (incoming.httpVersionMinor > 0 || isHttp2(incoming)) throw errors.E_REQUEST_MALFORMED("has no Host");
  const target = incoming.url as string;
  if (target.charCodeAt(0) === slash || target === "*") return;
  const authority = target.slice(target.indexOf("//") + 2).split(/[/?#]/, 1)[0];
  if (authority?.toLowerCase() !== host?.toLowerCase()) {
    throw errors.E_REQUEST_MALFORMED("names one host in its target and another one in its Host header");
  }
}

const slash = 0x2f;
