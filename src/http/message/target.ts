import { errors } from "../errors.ts";

/** Parsed request target. */
export interface Target {
  /** Canonical path: decoded once, a leading slash, no trailing one. `*` for `OPTIONS *`. */
  readonly path: string;
  /** Text after the `?`, as sent; empty without a query. */
  readonly query: string;
}

/**
 * Splits a request target into path and query, and returns the one canonical path that router, guards and static files use.
 *
 * The path is cut into segments first, and each segment is decoded once. Anything that two parsers could read differently
 * is refused with 400: control characters, raw bytes beyond ASCII, a raw `#` or space, a backslash, broken or overlong
 * escapes, empty segments (`//`), `.` and `..` (encoded or not), and a slash, backslash or control character inside a
 * segment. A trailing slash is dropped. Escapes of the query are checked here too, so that a malformed query is a 400 on
 * every route. The parameters are parsed later, when they are first read.
 *
 * Of an absolute target (`GET http://host/path`, RFC 9112 §3.2.2), the path is used; the server checks its host.
 *
 * @throws E_TARGET_MALFORMED
 */
export function parseTarget(target: string): Target {
  if (target.charCodeAt(0) !== slash) return parseOtherForms(target);
  let queryStart = -1;
  let needsDecoding = false;
  let isAfterSlash = false;
  // One loop over character codes: each request passes here, and a regular expression per rule would scan the target again.
  for (let index = 0; index < target.length; index++) {
    const code = target.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) throw errors.E_TARGET_MALFORMED("holds a character that must be encoded");
    if (code === 0x23) throw errors.E_TARGET_MALFORMED("holds a #");
    if (queryStart !== -1) continue;
    if (code === 0x3f) queryStart = index;
    else if (code === slash) {
      if (isAfterSlash) throw errors.E_TARGET_MALFORMED("has an empty path segment");
      isAfterSlash = true;
      continue;
    } else if (code === 0x5c) throw errors.E_TARGET_MALFORMED("has a backslash in its path");
    else if (code === 0x25) needsDecoding = true;
    else if (code === 0x2e && isAfterSlash) needsDecoding = true;
    isAfterSlash = false;
  }
  const pathEnd = queryStart === -1 ? target.length : queryStart;
  const end = pathEnd > 1 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;
  const raw = end === target.length ? target : target.slice(0, end);
  const query = queryStart === -1 ? "" : target.slice(queryStart + 1);
  const path = needsDecoding ? raw.split("/").map(decodeSegment).join("/") : raw;
  decode(query);
  return { path, query };
}

const slash = 0x2f;

/** Parses the asterisk form and the absolute form (RFC 9112 §3.2). */
function parseOtherForms(target: string): Target {
  if (target === "*") return { path: "*", query: "" };
  const origin = /^https?:\/\/[^/?#]+/i.exec(target);
  if (origin === null) throw errors.E_TARGET_MALFORMED("is neither a path nor an http URL");
  const rest = target.slice(origin[0].length);
  return parseTarget(rest.startsWith("/") ? rest : `/${rest}`);
}

function decodeSegment(segment: string): string {
  const decoded = decode(segment);
  if (decoded === "." || decoded === "..") throw errors.E_TARGET_MALFORMED("has a . or .. segment");
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[/\\\x00-\x1f\x7f]/.test(decoded)) {
    throw errors.E_TARGET_MALFORMED("has an encoded slash, backslash or control character");
  }
  return decoded;
}

/** Decodes percent-escapes. `decodeURIComponent` refuses overlong forms, lone surrogates and truncated escapes. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.E_TARGET_MALFORMED("has a malformed percent-escape");
  }
}

/** Encodes each segment of a path for a URL. Reverses the decoding of `parseTarget`. */
export function encodePath(path: string): string {
  if (/^[\w/.!~*'()-]*$/.test(path)) return path;
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Parses the parameters of a query. @throws E_TOO_MANY_PARAMETERS */
export function parseQuery(query: string, limit: number): URLSearchParams {
  checkParameterCount(query, "query", limit);
  // A question mark at the start belongs to the first name. URLSearchParams would drop it.
  return new URLSearchParams(query.startsWith("?") ? `&${query}` : query);
}

/** Counts parameters before they are parsed: a quarter of a million would block. @throws E_TOO_MANY_PARAMETERS */
export function checkParameterCount(text: string, source: string, limit: number): void {
  let count = 1;
  for (let index = text.indexOf("&"); index !== -1; index = text.indexOf("&", index + 1)) {
    if (++count > limit) throw errors.E_TOO_MANY_PARAMETERS(source, limit);
  }
}
