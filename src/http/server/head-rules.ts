import { errors } from "../errors.ts";
import { parseTarget, type Target } from "../message/target.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { ambiguousFraming, parseLength } from "./body.ts";

/** Rules for the head of a request. */
export interface HeadRules {
  /** Maximum number of header lines. */
  readonly maxHeaders: number;
  readonly allowedHosts: AllowedHosts;
}

/** Facts of a head that decide about its framing. `readField` sets them line by line. */
export interface HeadFields {
  /** Minor version of HTTP/1; 1 for HTTP/2. */
  readonly minorVersion: number;
  /** Value of `Host`. */
  host: string | undefined;
  /** Declared length of the body in bytes; 0 without a body, -1 for a body of unknown length. */
  declaredBytes: number;
  hasContentLength: boolean;
  isChunked: boolean;
  hasContentType: boolean;
  /** True if the client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean;
  /** True if there is an `Upgrade` line. */
  isUpgrade: boolean;
  /** True if there is an `X-Forwarded-For` line. */
  isForwarded: boolean;
}

/** Returns the fields of a head before its lines are read. */
export const noFields = (minorVersion: number): HeadFields => ({
  minorVersion,
  host: undefined,
  declaredBytes: 0,
  hasContentLength: false,
  isChunked: false,
  hasContentType: false,
  expectsContinue: false,
  isUpgrade: false,
  isForwarded: false,
});

/**
 * Reads a header line. Refuses lines that two parsers could read differently: several `Host`, `Content-Type` or
 * `Content-Length` lines, a `Content-Length` with leading zeros, a `Transfer-Encoding` other than `chunked` or beside a
 * `Content-Length` (RFC 9112 §6.1, §6.3), and `Content_Length` or `Transfer_Encoding`, which some servers read as their names
 * with a hyphen.
 *
 * @throws E_REQUEST_MALFORMED, E_EXPECTATION
 */
export function readField(head: HeadFields, name: string, value: string): void {
  // Switched by the length of the name: most names are skipped without a comparison.
  switch (name.length) {
    case 4:
      if (isNamed(name, "host")) readHost(head, value);
      break;
    case 6:
      if (isNamed(name, "expect") && head.minorVersion > 0) head.expectsContinue = isContinue(value);
      break;
    case 7:
      if (isNamed(name, "upgrade")) head.isUpgrade = true;
      break;
    case 12:
      if (!isNamed(name, "content-type")) break;
      if (head.hasContentType) throw errors.E_REQUEST_MALFORMED("has more than one Content-Type");
      head.hasContentType = true;
      break;
    case 14:
      if (isNamed(name, "content-length")) readLength(head, value);
      else if (isNamed(name, "content_length")) throw ambiguousFraming(name);
      break;
    case 15:
      if (isX(name) && isNamed(name, "x-forwarded-for")) head.isForwarded = true;
      break;
    case 17:
      if (isNamed(name, "transfer_encoding")) throw ambiguousFraming(name);
      if (isNamed(name, "transfer-encoding")) readCoding(head, value);
      break;
    default:
  }
}

/** Spares `Accept-Encoding` and `Accept-Language`, which are as long, the comparison. */
const isX = (name: string): boolean => (name.charCodeAt(0) | 0x20) === 0x78;

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.toLowerCase() === wanted;

function readHost(head: HeadFields, value: string): void {
  if (head.host !== undefined) throw errors.E_REQUEST_MALFORMED("has more than one Host");
  head.host = value;
}

function isContinue(expectation: string): true {
  if (expectation.toLowerCase() !== "100-continue") throw errors.E_EXPECTATION(expectation);
  return true;
}

function readLength(head: HeadFields, digits: string): void {
  if (head.hasContentLength) throw errors.E_REQUEST_MALFORMED("has more than one Content-Length");
  if (head.isChunked) throw bothFramings();
  head.hasContentLength = true;
  head.declaredBytes = parseLength(digits);
}

/**
 * Refuses transfer codings other than chunked. HTTP/1.0 has none (RFC 9112 §6.1), and `node:http` emits `request` before it
 * finds that such a body has no end.
 */
function readCoding(head: HeadFields, coding: string): void {
  if (head.isChunked || head.minorVersion === 0 || coding.toLowerCase() !== "chunked") {
    throw errors.E_REQUEST_MALFORMED("has a Transfer-Encoding other than chunked");
  }
  if (head.hasContentLength) throw bothFramings();
  head.isChunked = true;
  head.declaredBytes = -1;
}

const bothFramings = (): Error => errors.E_REQUEST_MALFORMED("has both a Content-Length and a Transfer-Encoding");

/**
 * Parses the target of a request. Refuses a request without a valid `Host` (RFC 9112 §3.2), an absolute target for another
 * host, the target `*` without OPTIONS, and TRACE.
 *
 * @param connection connection of the request, for `AllowedHosts.check`
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_METHOD_UNKNOWN
 */
export function readTarget(
  method: string,
  target: string,
  { host, minorVersion }: HeadFields,
  allowedHosts: AllowedHosts,
  connection: { readonly localAddress?: string | undefined },
): Target {
  const parsed = parseTarget(target);
  if (host !== undefined) allowedHosts.check(host, connection);
  else if (minorVersion > 0) throw errors.E_REQUEST_MALFORMED("has no Host");
  checkAuthority(target, host);
  if (parsed.path === "*" && method !== "OPTIONS") throw errors.E_TARGET_MALFORMED("is * without OPTIONS");
  if (method === "TRACE") throw errors.E_METHOD_UNKNOWN("TRACE");
  return parsed;
}

function checkAuthority(target: string, host: string | undefined): void {
  if (target.charCodeAt(0) === slash || target === "*") return;
  const authority = target.slice(target.indexOf("//") + 2).split(/[/?#]/, 1)[0];
  if (authority?.toLowerCase() !== host?.toLowerCase()) {
    throw errors.E_REQUEST_MALFORMED("names one host in its target and another one in its Host header");
  }
}

const slash = 0x2f;
