import { Configuration } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Cookie, Cookies } from "../../http/message/index.ts";
import { constantTimeEqual, RandomInternals } from "../../random/index.ts";

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

/** Value with a valid signature. */
export interface VerifiedValue {
  readonly value: string;
  /** Time of the signature, in milliseconds since 1970. */
  readonly signedAtMs: number;
  /** True if the current key signed it; otherwise it should be signed again. */
  readonly isCurrent: boolean;
}

/** Maximum size of a cookie's name and value in browsers, in bytes (RFC 6265bis §5.6, OWASP ASVS 3.3.5). */
export const maxCookieBytes = 4096;

const log = Log.source("limmat.http");

/** Describes a cookie, a secure one with `__Host-`: no subdomain and no http can set it (RFC 6265bis §4.1.3.2). */
export function signedCookie(purpose: string, name: string, isSecure: boolean): SignedCookie {
  const logRejection = LogInternals.limitEvents(log.info, { maxEvents: 60, periodMs: Time.minutes(1) });
  return { purpose, name: isSecure ? `__Host-${name}` : name, isSecure, logRejection };
}

/** Returns a function that describes the cookie of a name: a secure one in production, or as `isSecure` says. */
export function cookieByEnvironment(purpose: string, name: string, isSecure: boolean | undefined): () => SignedCookie {
  const [plain, secure] = [signedCookie(purpose, name, false), signedCookie(purpose, name, true)];
  return () => ((isSecure ?? Configuration.environment() === "production") ? secure : plain);
}

/** Reads the value of a cookie. Returns `undefined` if it is absent, has no valid signature or was sent twice. */
export function readCookie(cookie: SignedCookie, cookies: Cookies): VerifiedValue | undefined {
  const text = singleCookieValue(cookie, cookies);
  const value = text === undefined ? undefined : verify(text, cookie, Configuration.secretKeys(cookie.purpose));
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
  return toCookie(
    cookie,
    sign(text, cookie, Configuration.secretKeys(cookie.purpose), TimeInternals.timestamp()),
    maxAgeMs,
  );
}

/** Returns a cookie with a protected value. Returns `undefined` if name and value exceed `maxCookieBytes`. */
export function toCookie(cookie: SignedCookie, value: string, maxAgeMs: number | undefined): Cookie | undefined {
  if (cookie.name.length + value.length > maxCookieBytes) return undefined;
  const plain = { name: cookie.name, value, secure: cookie.isSecure };
  return maxAgeMs === undefined ? plain : { ...plain, maxAge: Math.ceil(maxAgeMs / 1000) };
}

/** Returns a cookie that makes the browser delete it. */
export function expiredCookie(cookie: SignedCookie): Cookie {
  return { name: cookie.name, value: "", maxAge: 0, secure: cookie.isSecure };
}

type SigningKeys = Configuration.SecretKeys;

/** Purpose and name of a cookie. A value signed for one context is invalid in every other. */
type SigningContext = Pick<SignedCookie, "purpose" | "name">;

const signedValuePattern = /^([\w-]*)\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/**
 * Signs a text, which a client can then read but not change: `value.time.mac` in base64url, base 36 and base64url. The
 * HMAC-SHA256 (RFC 2104) covers the encoded context, time and value, so that no two spellings of a value are valid.
 */
export function sign(value: string, context: SigningContext, keys: SigningKeys, signedAtMs: number): string {
  const signed = `${Buffer.from(value).toString("base64url")}.${signedAtMs.toString(36)}`;
  return `${signed}.${mac(signed, context, keys.current)}`;
}

/** Verifies a signed text. Returns `undefined` for a text that `sign` did not create for this context. Never throws. */
export function verify(text: string, context: SigningContext, keys: SigningKeys): VerifiedValue | undefined {
  const [match, value = "", time = "", signature = ""] = signedValuePattern.exec(text) ?? [];
  if (match === undefined) return undefined;
  const key = keys.all.find((candidate) => constantTimeEqual(signature, mac(`${value}.${time}`, context, candidate)));
  if (key === undefined) return undefined;
  return {
    value: Buffer.from(value, "base64url").toString(),
    signedAtMs: Number.parseInt(time, 36),
    isCurrent: key.equals(keys.current),
  };
}

const mac = (signed: string, { purpose, name }: SigningContext, key: Buffer): string =>
  RandomInternals.hmacSha256(key, `${purpose}\n${name}\n${signed}`);
