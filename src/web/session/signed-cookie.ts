import { Configuration } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Cookie, Cookies } from "../../http/message/index.ts";
import { sign, verify, type VerifiedValue } from "./signed-value.ts";

/** A cookie that only we can write. */
export interface SignedCookie {
  /** What its key is for: `session`. */
  readonly purpose: string;
  /** As it is sent, prefix included. */
  readonly name: string;
  readonly isSecure: boolean;
}

/** The most bytes that browsers keep of a cookie's name and value together (RFC 6265bis §5.6, OWASP ASVS 3.3.5). */
export const cookieLimit = 4096;

const log = Log.source("limmat.web");

/**
 * The cookie of a name. Where it is secure, it carries the prefix `__Host-`, so that neither a subdomain nor plain http
 * can plant another in its place (RFC 6265bis §4.1.3.2).
 */
export function signedCookie(purpose: string, name: string, isSecure: boolean): SignedCookie {
  return { purpose, name: isSecure ? `__Host-${name}` : name, isSecure };
}

/** What the cookie holds. `undefined` when it is absent, was not signed by us for this name, or was sent twice. */
export function readCookie(cookie: SignedCookie, cookies: Cookies): VerifiedValue | undefined {
  const text = sentOnce(cookie, cookies);
  const value = text === undefined ? undefined : verify(text, cookie, keysOf(cookie));
  if (value === undefined && cookies.some(([name]) => name === cookie.name)) {
    log.info(`A ${cookie.purpose} cookie was ${text === undefined ? "sent twice" : "not signed by us"}`);
  }
  return value;
}

/** What was sent as the cookie; `undefined` when it is absent or was sent twice. */
export function sentOnce({ name }: SignedCookie, cookies: Cookies): string | undefined {
  let found: string | undefined;
  for (const [candidate, value] of cookies) {
    if (candidate !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

/** The cookie with a text in it, signed now; `undefined` when its name and value exceed `cookieLimit`. */
export function writeCookie(cookie: SignedCookie, text: string, maxAge: number | undefined): Cookie | undefined {
  const value = sign(text, cookie, keysOf(cookie), Time.timestamp());
  if (cookie.name.length + value.length > cookieLimit) return undefined;
  const plain = { name: cookie.name, value, secure: cookie.isSecure };
  return maxAge === undefined ? plain : { ...plain, maxAge: Math.ceil(maxAge / 1000) };
}

/** What makes the browser forget the cookie. */
export function removedCookie(cookie: SignedCookie): Cookie {
  return { name: cookie.name, value: "", maxAge: 0, secure: cookie.isSecure };
}

function keysOf(cookie: SignedCookie): ReturnType<typeof Configuration.secretKeys> {
  return Configuration.secretKeys(cookie.purpose);
}
