import type { IncomingMessage } from "node:http";
import { errors } from "../../errors.ts";
import { type HeadRules, noFields, readField, readTarget } from "../head-rules.ts";
import { checkAuthority, isHttp2, toHttp1Headers } from "./http2.ts";

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

/**
 * Parses the head of a request. Refuses heads that `node:http` accepts although two parsers could read them differently
 * (`head-rules.ts`). `node:http` has already checked all other lengths and codings.
 *
 * @throws E_REQUEST_MALFORMED, E_TARGET_MALFORMED, E_HOST_NOT_ALLOWED, E_HEADERS_TOO_MANY, E_EXPECTATION,
 *   E_METHOD_UNKNOWN
 */
export function readHead(incoming: IncomingMessage, { maxHeaders, allowedHosts }: HeadRules): Head {
  const isOverHttp2 = isHttp2(incoming);
  const raw = isOverHttp2 ? toHttp1Headers(incoming.rawHeaders) : incoming.rawHeaders;
  if (raw.length > maxHeaders * 2) throw errors.E_HEADERS_TOO_MANY(maxHeaders);
  if (incoming.httpVersionMajor !== 1 && !isOverHttp2) {
    throw errors.E_REQUEST_MALFORMED("is neither HTTP/1.0 nor HTTP/1.1");
  }
  const fields = noFields(isOverHttp2 ? 1 : incoming.httpVersionMinor);
  if (isOverHttp2 && !incoming.stream.endAfterHeaders) fields.declaredBytes = -1;
  for (let index = 0; index < raw.length; index += 2) {
    readField(fields, raw[index] as string, raw[index + 1] as string);
  }
  if (isOverHttp2) checkAuthority(incoming, fields.host);
  const { method, url, socket } = incoming;
  const { path, query } = readTarget(method as string, url as string, fields, allowedHosts, socket);
  return {
    headers: raw,
    path,
    query,
    declaredBytes: fields.declaredBytes,
    expectsContinue: fields.expectsContinue,
    isForwarded: fields.isForwarded,
    isUpgrade: fields.isUpgrade && !isOverHttp2,
  };
}
