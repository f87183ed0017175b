import { errors } from "../errors.ts";

/** Cookie that a response sets. */
export interface Cookie {
  readonly name: string;
  /** Value, sent without encoding: printable ASCII without spaces, quotes, commas, semicolons and backslashes. */
  readonly value: string;
  /** Path below which the cookie is sent. Default `/`. */
  readonly path?: string;
  /** Domain that receives the cookie. Default none: this host only, without its subdomains. */
  readonly domain?: string;
  /** Lifetime in seconds. Default none: the cookie ends with the browser's session. 0 removes it. */
  readonly maxAge?: number;
  /** Time at which the cookie expires. `maxAge` overrides it. */
  readonly expires?: Date;
  /** True if scripts cannot read the cookie. Default true. */
  readonly httpOnly?: boolean;
  /** True if the cookie is sent over https only. Browsers treat http://localhost as https. Default true. */
  readonly secure?: boolean;
  /** Cross-site policy. Default `Lax`. `None` requires `secure`. */
  readonly sameSite?: "Lax" | "Strict" | "None";
  /** True if the cookie is stored per top-level site (CHIPS). Default false. */
  readonly partitioned?: boolean;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 6265 §4.1.1, cookie-octet
const octets = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
// RFC 1034 §3.5: labels of letters, digits and hyphens. RFC 6265 §5.2.3 ignores a dot before the first one.
const hostName = /^\.?[0-9a-z](?:[0-9a-z-]*[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]*[0-9a-z])?)*$/i;
const attribute = /^[\x20-\x3a\x3c-\x7e]*$/;

/**
 * Formats a `Set-Cookie` header (RFC 6265bis §4.1).
 *
 * @throws E_COOKIE_INVALID for a part that would end the cookie early or forge another attribute, and for attributes that
 *   contradict the prefix of the name (`__Host-`, `__Secure-`)
 */
export function serializeCookie(cookie: Cookie): string {
  const { name, value, path = "/", domain, maxAge, expires, httpOnly = true, secure = true } = cookie;
  const { sameSite = "Lax", partitioned = false } = cookie;
  const refuseUnless = (isValid: boolean, part: string): void => {
    if (!isValid) throw errors.E_COOKIE_INVALID(name, part);
  };
  refuseUnless(token.test(name), "name");
  refuseUnless(octets.test(value), "value");
  refuseUnless(path.startsWith("/") && attribute.test(path), "path");
  refuseUnless(domain === undefined || hostName.test(domain), "domain");
  refuseUnless(maxAge === undefined || Number.isSafeInteger(maxAge), "maxAge");
  refuseUnless(expires === undefined || !Number.isNaN(expires.getTime()), "expires");
  refuseUnless(["Lax", "Strict", "None"].includes(sameSite), "sameSite");
  refuseUnless(secure || (sameSite !== "None" && !partitioned && !/^__(?:host|secure)-/i.test(name)), "secure");
  refuseUnless(!/^__host-/i.test(name) || (path === "/" && domain === undefined), "prefix __Host-");

  let text = `${name}=${value}; Path=${path}`;
  if (domain !== undefined) text += `; Domain=${domain}`;
  if (maxAge !== undefined) text += `; Max-Age=${maxAge}`;
  if (expires !== undefined) text += `; Expires=${expires.toUTCString()}`;
  if (httpOnly) text += "; HttpOnly";
  if (secure) text += "; Secure";
  text += `; SameSite=${sameSite}`;
  return partitioned ? `${text}; Partitioned` : text;
}

/** Cookies of a request in the order in which they were sent, names and values not decoded. */
export type Cookies = readonly (readonly [name: string, value: string])[];

/**
 * Parses a `Cookie` header. Only spaces and tabs are trimmed: trimming other characters would accept names that browsers
 * did not check for the prefixes `__Host-` and `__Secure-`. Parts without `=` or without a name are skipped.
 */
export function parseCookies(header: string | undefined): Cookies {
  if (header === undefined || header === "") return noCookies;
  const cookies: [string, string][] = [];
  let start = 0;
  // Found once per `=`, not once per part: a search from each of many parts without `=` would be quadratic.
  let equals = header.indexOf("=");
  while (equals !== -1 && start <= header.length) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon === -1 ? header.length : semicolon;
    if (equals < end) {
      const name = trim(header, start, equals);
      if (name !== "") cookies.push([name, trim(header, equals + 1, end)]);
      equals = header.indexOf("=", end);
    }
    start = end + 1;
  }
  return cookies;
}

const noCookies: Cookies = Object.freeze([]);

function trim(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
