import { errors } from "../errors.ts";

/** A request target, split. */
export interface Target {
  /** Canonical: decoded once, a leading slash, no trailing one. `*` for `OPTIONS *`. */
  readonly path: string;
  /** What follows the `?`, as sent; empty when there is none. */
  readonly query: string;
}

/**
 * Splits a request target and brings its path into the one form that router, guards and static files see.
 *
 * The path is cut into segments first, and each segment is decoded once. Refused with 400 is whatever two readers could
 * read differently: control characters, raw bytes beyond ASCII, a raw `#` or space, a backslash, broken or overlong
 * escapes, empty segments (`//`), `.` and `..` (encoded or not), and a slash, backslash or control character inside of
 * a segment. A trailing slash is dropped. Escapes of the query are checked here too, so that a malformed query is a 400
 * on every route; the parameters are read later, if at all.
 *
 * An absolute target (`GET http://host/path`, RFC 9112 §3.2.2) is read by its path; its host must equal the `Host`
 * header, which the server checks.
 *
 * @throws E_TARGET_MALFORMED
 */
export function parseTarget(target: string): Target {
  if (target.charCodeAt(0) !== slash) return parseUnusual(target);
  let queryAt = -1;
  let needsDecoding = false;
  let afterSlash = false;
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at);
    if (code <= 0x20 || code >= 0x7f) throw errors.E_TARGET_MALFORMED("holds a character that must be encoded");
    if (code === 0x23) throw errors.E_TARGET_MALFORMED("holds a #");
    if (queryAt !== -1) continue;
    if (code === 0x3f) queryAt = at;
    else if (code === slash) {
      if (afterSlash) throw errors.E_TARGET_MALFORMED("has an empty path segment");
      afterSlash = true;
      continue;
    } else if (code === 0x5c) throw errors.E_TARGET_MALFORMED("has a backslash in its path");
    else if (code === 0x25) needsDecoding = true;
    else if (code === 0x2e && afterSlash) needsDecoding = true;
    afterSlash = false;
  }
  const pathEnd = queryAt === -1 ? target.length : queryAt;
  const end = pathEnd > 1 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;
  const raw = end === target.length ? target : target.slice(0, end);
  return {
    path: needsDecoding ? decodePath(raw) : raw,
    query: queryAt === -1 ? "" : checkQuery(target.slice(queryAt + 1)),
  };
}

const slash = 0x2f;

function parseUnusual(target: string): Target {
  if (target === "*") return { path: "*", query: "" };
  const absolute = /^https?:\/\/[^/?#]+/i.exec(target);
  if (absolute === null) throw errors.E_TARGET_MALFORMED("is neither a path nor an http URL");
  const rest = target.slice(absolute[0].length);
  return parseTarget(rest.startsWith("/") ? rest : `/${rest}`);
}

function decodePath(path: string): string {
  return path
    .split("/")
    .map((segment) => {
      const decoded = decode(segment);
      if (decoded === "." || decoded === "..") throw errors.E_TARGET_MALFORMED("has a . or .. segment");
      // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
      if (/[/\\\x00-\x1f\x7f]/.test(decoded)) {
        throw errors.E_TARGET_MALFORMED("has an encoded slash, backslash or control character");
      }
      return decoded;
    })
    .join("/");
}

/** Strict: `decodeURIComponent` refuses overlong forms, lone surrogates and cut escapes. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.E_TARGET_MALFORMED("has a malformed percent-escape");
  }
}

function checkQuery(query: string): string {
  decode(query);
  return query;
}

/** The path as it stands in a URL: each segment encoded. The reverse of what `parseTarget` does. */
export function encodePath(path: string): string {
  if (/^[\w/.!~*'()-]*$/.test(path)) return path;
  return path.split("/").map(encodeURIComponent).join("/");
}
