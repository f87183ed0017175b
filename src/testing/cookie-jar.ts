import { ConfigurationInternals } from "../config/index.ts";
import { Time } from "../time/index.ts";

/** Cookies of a simulated browser, as RFC 6265bis §5 tells browsers to store and send them. */
export interface CookieJar {
  /** Stores the cookie of a `Set-Cookie` header, unless a browser would refuse it. */
  readonly store: (url: URL, header: string) => void;
  /** Returns the `Cookie` header of a request, or the empty string. */
  readonly header: (url: URL) => string;
  /** Returns name and value of the stored cookies, longer paths last. */
  readonly pairs: () => readonly (readonly [name: string, value: string])[];
}

interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly isSecure: boolean;
  /** Time in milliseconds, `Infinity` for the end of the browser's session. */
  readonly expiresAt: number;
}

// RFC 6265bis §5.6 and §5.5: sizes in bytes, and the lifetime that browsers allow.
const maxPairBytes = 4096;
const maxAttributeBytes = 1024;
const maxLifetimeSeconds = 400 * 24 * 60 * 60;

/** Makes a jar without cookies. */
export function makeCookieJar(): CookieJar {
  let cookies: readonly StoredCookie[] = [];

  const current = (): readonly StoredCookie[] => {
    const now = Time.now().getTime();
    return (cookies = cookies.filter(({ expiresAt }) => expiresAt > now));
  };

  return {
    store: (url, header) => {
      const cookie = parseSetCookie(url, header);
      const stored = current();
      if (cookie === undefined || shadowsSecureCookie(cookie, url, stored)) return;
      const index = stored.findIndex((candidate) => isSameCookie(candidate, cookie));
      cookies = index === -1 ? [...stored, cookie] : stored.with(index, cookie);
    },
    header: (url) =>
      current()
        .filter((cookie) => isSentTo(cookie, url))
        // Stable: cookies of one path length keep the order in which they were created.
        .toSorted((left, right) => right.path.length - left.path.length)
        .map(({ name, value }) => (name === "" ? value : `${name}=${value}`))
        .join("; "),
    pairs: () =>
      current()
        .toSorted((left, right) => left.path.length - right.path.length)
        .map(({ name, value }) => [name, value]),
  };
}

/** Parses a `Set-Cookie` header. Returns `undefined` if a browser ignores it (RFC 6265bis §5.6 and §5.7). */
function parseSetCookie(url: URL, header: string): StoredCookie | undefined {
  const [pair = "", ...attributeTexts] = header.split(";");
  const [name, value] = pair.includes("=") ? splitPair(pair) : ["", trimBlanks(pair)];
  if (name === "" && value === "") return undefined;
  if (Buffer.byteLength(name + value) > maxPairBytes) return undefined;
  const attributes = parseAttributes(attributeTexts);

  const domain = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase();
  const path = attributes.get("path") ?? "";
  const isSecure = attributes.has("secure");
  const cookie: StoredCookie = {
    name,
    value,
    domain: domain === "" ? url.hostname : domain,
    isHostOnly: domain === "",
    path: path.startsWith("/") ? path : defaultPath(url),
    isSecure,
    expiresAt: expiryOf(attributes),
  };
  if (!domainMatches(url.hostname, cookie.domain)) return undefined;
  if (isSecure ? !isSecureConnection(url) : attributes.get("samesite")?.toLowerCase() === "none") return undefined;
  return contradictsPrefix(cookie, path) ? undefined : cookie;
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const separator = pair.indexOf("=");
  return separator === -1
    ? [trimBlanks(pair), ""]
    : [trimBlanks(pair.slice(0, separator)), trimBlanks(pair.slice(separator + 1))];
}

const trimBlanks = (text: string): string => text.replaceAll(/^[\t ]+|[\t ]+$/g, "");

/** Parses the attributes by lower-case name. The last one of a name wins; an invalid lifetime is ignored. */
function parseAttributes(texts: readonly string[]): ReadonlyMap<string, string> {
  const isValid = ([name, value]: readonly [string, string]): boolean => {
    if (Buffer.byteLength(value) > maxAttributeBytes) return false;
    if (name === "max-age") return /^-?\d+$/.test(value);
    return name !== "expires" || parseCookieDate(value) !== undefined;
  };
  return new Map(
    texts
      .map((text) => splitPair(text))
      .map(([name, value]): [string, string] => [name.toLowerCase(), value])
      .filter(isValid),
  );
}

function expiryOf(attributes: ReadonlyMap<string, string>): number {
  const now = Time.now().getTime();
  const maxAge = attributes.get("max-age");
  const expires = attributes.get("expires");
  if (maxAge === undefined && expires === undefined) return Number.POSITIVE_INFINITY;
  const expiresAt = maxAge === undefined ? (parseCookieDate(expires ?? "") ?? 0) : now + Number(maxAge) * 1000;
  return Math.min(expiresAt, now + maxLifetimeSeconds * 1000);
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Parses a date in milliseconds since 1970, as liberally as RFC 6265bis §5.1.1. */
function parseCookieDate(text: string): number | undefined {
  let time: RegExpExecArray | undefined;
  let day: number | undefined;
  let month: number | undefined;
  let year: number | undefined;
  for (const token of text.split(/[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
    const monthIndex = months.indexOf(token.slice(0, 3).toLowerCase());
    if (time === undefined && clock !== null) time = clock;
    else if (day === undefined && /^\d{1,2}(?:\D|$)/.test(token)) day = Number.parseInt(token, 10);
    else if (month === undefined && monthIndex !== -1) month = monthIndex;
    else if (year === undefined && /^\d{2,4}(?:\D|$)/.test(token)) year = fullYear(Number.parseInt(token, 10));
  }
  if (time === undefined || day === undefined || month === undefined || year === undefined) return undefined;
  const [hour = 0, minute = 0, second = 0] = time.slice(1).map(Number);
  if (year < 1601 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(Date.UTC(year, month, day, hour, minute, second));
  return date.getUTCDate() === day ? date.getTime() : undefined;
}

const fullYear = (year: number): number => (year < 70 ? year + 2000 : year < 100 ? year + 1900 : year);

/** Returns the folder of a request path (RFC 6265bis §5.1.4). */
function defaultPath({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf("/")));
}

function pathMatches(path: string, cookiePath: string): boolean {
  if (!path.startsWith(cookiePath)) return false;
  return path.length === cookiePath.length || cookiePath.endsWith("/") || path[cookiePath.length] === "/";
}

function domainMatches(host: string, domain: string): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(host);
  return host === domain || (!isAddress && host.endsWith(`.${domain}`));
}

/** True if the connection is encrypted, or stays on this machine: browsers treat `http://localhost` as https. */
function isSecureConnection({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ConfigurationInternals.isLoopback(hostname);
}

function contradictsPrefix({ name, value, isSecure, isHostOnly }: StoredCookie, pathAttribute: string): boolean {
  const prefixed = name === "" ? value : name;
  if (/^__host-/i.test(prefixed)) return name === "" || !isSecure || !isHostOnly || pathAttribute !== "/";
  return /^__secure-/i.test(prefixed) && (name === "" || !isSecure);
}

/** True if a page without encryption sets a cookie that would shadow one with `Secure` (RFC 6265bis §5.7). */
function shadowsSecureCookie(cookie: StoredCookie, url: URL, stored: readonly StoredCookie[]): boolean {
  if (cookie.isSecure || isSecureConnection(url)) return false;
  return stored.some(
    (other) =>
      other.isSecure &&
      other.name === cookie.name &&
      (domainMatches(other.domain, cookie.domain) || domainMatches(cookie.domain, other.domain)) &&
      pathMatches(cookie.path, other.path),
  );
}

function isSameCookie(left: StoredCookie, right: StoredCookie): boolean {
  return (
    left.name === right.name &&
    left.domain === right.domain &&
    left.isHostOnly === right.isHostOnly &&
    left.path === right.path
  );
}

function isSentTo({ domain, isHostOnly, path, isSecure }: StoredCookie, url: URL): boolean {
  return (
    (isHostOnly ? url.hostname === domain : domainMatches(url.hostname, domain)) &&
    pathMatches(url.pathname, path) &&
    (!isSecure || isSecureConnection(url))
  );
}
