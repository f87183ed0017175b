import { Configuration } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Cookie, Cookies } from "../../http/message/index.ts";
import { sign, verify, type VerifiedValue } from "./signed-value.ts";

/** Cookie with a signature, which only the server can write. */
export interface SignedCookie {
  /** Purpose of the signing key: `session`. */
  readonly purpose: string;
  /** Name of the cookie as sent, with its prefix. */
  readonly name: string;
  readonly isSecure: boolean;
  /** Logs a cookie that is not accepted. Clients send such cookies at will, so their number is limited. */
  readonly logRejection: (message: string) => void;
}

/** Maximum size of a cookie's name and value in browsers, in bytes (RFC 6265bis §5.6, OWASP ASVS 3.3.5). */
export const maxCookieBytes = 4096;

const log = Log.source("limmat.http");

/**
 * Describes the cookie of a name. A secure cookie has the prefix `__Host-`, so that neither a subdomain nor plain http
 * can overwrite it (RFC 6265bis §4.1.3.2).
 */
export function signedCookie(purpose: string, name: string, isSecure: boolean): SignedCookie {
  const logRejection = LogInternals.limitEvents(log.info, { maxEvents: 60, periodMs: Time.minutes(1) });
  return { purpose, name: isSecure ? `__Host-${name}` : name, isSecure, logRejection };
}

/** Reads the value of a cookie. Returns `undefined` if it is absent, has no valid signature or was sent twice. */
export function readCookie(cookie: SignedCookie, cookies: Cookies): VerifiedValue | undefined {
  const text = singleCookieValue(cookie, cookies);
  const value = text === undefined ? undefined : verify(text, cookie, signingKeys(cookie));
  if (value === undefined && cookies.some(([name]) => name === cookie.name)) {
    cookie.logRejection(
      `A ${cookie.purpose} cookie was ${text === undefined ? "sent twice" : "not signed by this server"}`,
    );
  }
  return value;
}

/** Returns the raw text of a cookie; `undefined` if it is absent or was sent twice. */
export function singleCookieValue({ name }: SignedCookie, cookies: Cookies): string | undefined {
  let cookieValue: string | undefined;
  for (const [cookieName, value] of cookies) {
    if (cookieName !== name) continue;
    if (cookieValue !== undefined) return undefined;
    cookieValue = value;
  }
  return cookieValue;
}

/** Signs a text as the value of a cookie. Returns `undefined` if name and value exceed `maxCookieBytes`. */
export function writeCookie(cookie: SignedCookie, text: string, maxAgeMs: number | undefined): Cookie | undefined {
  const value = sign(text, cookie, signingKeys(cookie), TimeInternals.timestamp());
  if (cookie.name.length + value.length > maxCookieBytes) return undefined;
  const plain = { name: cookie.name, value, secure: cookie.isSecure };
  return maxAgeMs === undefined ? plain : { ...plain, maxAge: Math.ceil(maxAgeMs / 1000) };
}

/** Returns a cookie that makes the browser delete it. */
export function expiredCookie(cookie: SignedCookie): Cookie {
  return { name: cookie.name, value: "", maxAge: 0, secure: cookie.isSecure };
}

function signingKeys(cookie: SignedCookie): ReturnType<typeof Configuration.secretKeys> {
  return Configuration.secretKeys(cookie.purpose);
}
