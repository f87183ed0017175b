import { Configuration } from "../../config/index.ts";
import { BoundedMap } from "../../core/index.ts";
import type { Cookies } from "../../http/message/index.ts";
import { decodeContent, type SessionContent } from "./session-content.ts";
import { readCookie, singleCookieValue, type SignedCookie } from "./signed-cookie.ts";

/** Session of a cookie with a valid signature. It may have expired. */
export interface VerifiedSession {
  readonly content: SessionContent;
  /** Time of the signature, in milliseconds since 1970. */
  readonly signedAtMs: number;
  /** True if the current key signed the cookie, and not a former one. */
  readonly isCurrent: boolean;
}

interface SessionCache {
  readonly keys: object;
  readonly sessions: BoundedMap<string, VerifiedSession>;
}

// About a minute of visitors of a busy site; some 10 MB with cookies of maximum size.
const maxCachedSessions = 1000;

const sessionCaches = new WeakMap<SignedCookie, SessionCache>();

/**
 * Reads the session from the cookie of a request. Returns `undefined` if the cookie is absent, has no valid signature or
 * was sent twice.
 *
 * Visitors send the same cookie repeatedly, so a verified session is cached under the full text of its cookie, signature
 * included, until the keys change. Map hashes strings with a random seed, so look-up times reveal nothing to an attacker
 * who varies the text.
 */
export function readSession(cookie: SignedCookie, cookies: Cookies): VerifiedSession | undefined {
  const text = singleCookieValue(cookie, cookies);
  const sessions = cachedSessions(cookie);
  const cachedSession = text === undefined ? undefined : sessions.get(text);
  if (cachedSession !== undefined) return cachedSession;
  const verified = readCookie(cookie, cookies);
  const content = verified === undefined ? undefined : decodeContent(verified.value);
  if (text === undefined || verified === undefined || content === undefined) return undefined;
  const session = { content, signedAtMs: verified.signedAtMs, isCurrent: verified.isCurrent };
  sessions.set(text, session);
  return session;
}

function cachedSessions(cookie: SignedCookie): BoundedMap<string, VerifiedSession> {
  const keys = Configuration.secretKeys(cookie.purpose);
  let cache = sessionCaches.get(cookie);
  if (cache?.keys !== keys) {
    cache = { keys, sessions: new BoundedMap(maxCachedSessions) };
    sessionCaches.set(cookie, cache);
  }
  return cache.sessions;
}
