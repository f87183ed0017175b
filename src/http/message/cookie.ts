import { errors } from "../errors.ts";

/** A cookie that a response sets. */
export interface Cookie {
  readonly name: string;
  /** Sent as it is: printable ASCII without spaces, quotes, commas, semicolons and backslashes. */
  readonly value: string;
  /** Default `/`. */
  readonly path?: string;
  /** Default none: the cookie goes back to this host only, not to its subdomains. */
  readonly domain?: string;
  /** Seconds. Default none: the cookie ends with the browser's session. 0 removes it. */
  readonly maxAge?: number;
  readonly expires?: Date;
  /** Whether scripts cannot read it. Default true. */
  readonly httpOnly?: boolean;
  /** Whether it is sent over https only; browsers count http://localhost as https. Default true. */
  readonly secure?: boolean;
  /** Default `Lax`. `None` needs `secure`. */
  readonly sameSite?: "Lax" | "Strict" | "None";
  /** Whether it is kept apart per top-level site (CHIPS). Default false. */
  readonly partitioned?: boolean;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 6265 §4.1.1, cookie-octet
const octets = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const attribute = /^[\x20-\x3a\x3c-\x7e]*$/;

/**
 * The value of a `Set-Cookie` header, by RFC 6265bis §4.1.
 *
 * @throws E_COOKIE_INVALID for a part that would end the cookie early or forge another attribute, and for a name whose
 *   prefix (`__Host-`, `__Secure-`) promises what the attributes do not keep.
 */
export function serializeCookie(cookie: Cookie): string {
  const { name, value, path = "/", domain, maxAge, expires, httpOnly = true, secure = true } = cookie;
  const { sameSite = "Lax", partitioned = false } = cookie;
  const refuseUnless = (right: boolean, part: string): void => {
    if (!right) throw errors.E_COOKIE_INVALID(name, part);
  };
  refuseUnless(token.test(name), "name");
  refuseUnless(octets.test(value), "value");
  refuseUnless(path.startsWith("/") && attribute.test(path), "path");
  refuseUnless(domain === undefined || /^[0-9A-Za-z.-]+$/.test(domain), "domain");
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

/** The cookies of a request in the order in which they were sent, names and values byte by byte. */
export type Cookies = readonly (readonly [name: string, value: string])[];

/**
 * Reads a `Cookie` header. Only spaces and tabs are trimmed: whoever trims more accepts names that the browser's
 * prefix rules never saw. Parts without a `=` or a name are skipped.
 */
export function parseCookies(header: string | undefined): Cookies {
  if (header === undefined || header === "") return noCookies;
  const cookies: [string, string][] = [];
  let start = 0;
  while (start <= header.length) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon === -1 ? header.length : semicolon;
    const equals = header.indexOf("=", start);
    if (equals !== -1 && equals < end) {
      const name = trim(header, start, equals);
      if (name !== "") cookies.push([name, trim(header, equals + 1, end)]);
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
