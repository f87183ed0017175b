import { Time, TimeInternals } from "../../time/index.ts";
import type { Cookie, Request } from "../../http/message/index.ts";
import { Secret } from "../../secret/index.ts";
import { errors } from "../errors.ts";
import {
  cookieByEnvironment,
  expiredCookie,
  maxCookieBytes,
  readCookie,
  type SignedCookie,
  singleCookieValue,
  toCookie,
  writeCookie,
} from "./signed-cookie.ts";

/** Options of `Web.signedCookie` and `Web.sealedCookie`. */
export interface ProtectedCookieOptions {
  /** True if the cookie is `Secure` and its name has the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /**
   * Maximum age, in milliseconds, also of a copy of the cookie. If it is set, the cookie outlives the browser; `Infinity` means no
   * maximum. Default: 30 days, and the browser deletes the cookie when it closes.
   */
  readonly maxAgeMs?: number;
}

/** Cookie whose text only this application can write. */
export interface ProtectedCookie {
  /**
   * Returns the text; `undefined` if the cookie is missing, too old, sent twice, or was not written by this application under
   * this name.
   */
  readonly find: (request: Request) => string | undefined;
  /** Returns the cookie for `response.withCookie`; `undefined` removes it. @throws E_COOKIE_TOO_LARGE */
  readonly cookie: (text: string | undefined) => Cookie;
}

/**
 * Describes a cookie that its owner can read but not change: `HttpOnly`, `SameSite=Lax`, `Path=/`. A cookie signed with a
 * former secret (`FRAMEWORK_SECRET_OLD`) is accepted. Fits 3,000 bytes.
 *
 * @param name the name without `__Host-`
 *
 * @example
 * const theme = Web.signedCookie("theme", { maxAgeMs: Time.days(365) });
 * theme.find(request) ?? "light";
 * Web.Response.redirect("/").withCookie(theme.cookie("dark"));
 */
export function signedCookie(name: string, options: ProtectedCookieOptions = {}): ProtectedCookie {
  return protectedCookie(name, options, {
    write: (cookie, text, _, maxAgeMs) => writeCookie(cookie, text, maxAgeMs),
    read: (cookie, request, validMs) => {
      const verified = readCookie(cookie, request.cookies);
      const isValid = verified !== undefined && TimeInternals.timestamp() < verified.signedAtMs + validMs;
      return isValid ? verified.value : undefined;
    },
  });
}

/**
 * Describes a cookie that its owner can neither read nor change: `Secret.seal` with a purpose of its name. Otherwise as
 * `Web.signedCookie`. The length of the cookie reveals the length of the text.
 *
 * @param name the name without `__Host-`
 */
export function sealedCookie(name: string, options: ProtectedCookieOptions = {}): ProtectedCookie {
  const purposeOf = (cookie: SignedCookie): string => `cookie ${cookie.name}`;
  return protectedCookie(name, options, {
    write: (cookie, text, validMs, maxAgeMs) => {
      const expiry = validMs === Infinity ? {} : { expiresMs: validMs };
      return toCookie(cookie, Secret.seal(text, { purpose: purposeOf(cookie), ...expiry }), maxAgeMs);
    },
    read: (cookie, request) => {
      const sealed = singleCookieValue(cookie, request.cookies);
      const text = Secret.open(sealed, { purpose: purposeOf(cookie) });
      if (sealed !== undefined && text === undefined) {
        cookie.logRejection("A sealed cookie has expired, or was not sealed by this server");
      }
      return text;
    },
  });
}

/** Protection of a cookie. `validMs` is the maximum age of a copy, `maxAgeMs` the one that the browser observes. */
interface Protection {
  readonly write: (
    cookie: SignedCookie,
    text: string,
    validMs: number,
    maxAgeMs: number | undefined,
  ) => Cookie | undefined;
  readonly read: (cookie: SignedCookie, request: Request, validMs: number) => string | undefined;
}

function protectedCookie(name: string, options: ProtectedCookieOptions, protection: Protection): ProtectedCookie {
  const { secure, maxAgeMs } = options;
  const describe = cookieByEnvironment("signed", name, secure);
  const validMs = maxAgeMs ?? Time.days(30);
  const browserMs = maxAgeMs === Infinity ? undefined : maxAgeMs;
  return {
    find: (request) => protection.read(describe(), request, validMs),
    cookie: (text) => {
      if (text === undefined) return expiredCookie(describe());
      const cookie = protection.write(describe(), text, validMs, browserMs);
      if (cookie === undefined) throw errors.E_COOKIE_TOO_LARGE(name, maxCookieBytes);
      return cookie;
    },
  };
}
