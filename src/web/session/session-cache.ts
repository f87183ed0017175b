import { decodeContent, type SessionContent } from "./session-content.ts";
import { Configuration } from "../../config/index.ts";
import type { Cookies } from "../../http/message/index.ts";
import { readCookie, type SignedCookie, singleCookieValue, type VerifiedValue } from "./signed-cookie.ts";

/** Session of a cookie with a valid signature. It may have expired. */
export interface VerifiedSession extends Omit<VerifiedValue, "value"> {
  readonly content: SessionContent;
}

/** Memory of an entry besides texts, in bytes: two Maps, four objects, and the slots of the tables. */
const entryOverheadBytes = 500;

/** Share of the sessions that are added while the cache is full. */
const admittedShare = 1 / 4;

/**
 * Verified sessions by the text of their cookie, within a limit of bytes.
 *
 * While the cache is full, one in four new sessions replaces random ones. Visitors in turn, a little more of them than the cache
 * holds, would never find their session if the oldest one was replaced; with this rule they find it nearly as often as the sizes allow.
 * Crawlers, which start a session and never return, displace few others.
 */
export class SessionCache {
  readonly #maxBytes: number;
  readonly #sessions = new Map<string, VerifiedSession>();
  /** Keys of `#sessions` in any order, to choose a random one. */
  readonly #texts: string[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Estimated size of all entries, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get(text: string): VerifiedSession | undefined {
    return this.#sessions.get(text);
  }

  /** Adds a session that the cache does not have yet, or ignores it. */
  add(text: string, session: VerifiedSession): void {
    const bytes = entryBytes(text);
    if (bytes > this.#maxBytes) return;
    if (this.#bytes + bytes > this.#maxBytes && Math.random() >= admittedShare) return;
    while (this.#bytes + bytes > this.#maxBytes) this.#evict(Math.floor(Math.random() * this.#texts.length));
    // A part of a string references the whole: a copy releases the `Cookie` header.
    const copy = Buffer.from(text, "latin1").toString("latin1");
    this.#sessions.set(copy, session);
    this.#texts.push(copy);
    this.#bytes += bytes;
  }

  #evict(index: number): void {
    const text = this.#texts[index] as string;
    this.#texts[index] = this.#texts.at(-1) as string;
    this.#texts.pop();
    this.#sessions.delete(text);
    this.#bytes -= entryBytes(text);
  }
}

/** Returns the size of an entry. Measured: 0.85 to 1.0 of it, and 1.25 with hundreds of short values. */
const entryBytes = (text: string): number => entryOverheadBytes + 2 * text.length;

// About 5,000 visitors with a few values in their session. A cached session is read in 0.3 µs, another one in 5 µs.
const maxCacheBytes = 4 * 1024 * 1024;

/** Caches of verified sessions, by cookie, with the keys that they belong to. */
const sessionCaches = new WeakMap<SignedCookie, { readonly keys: object; readonly sessions: SessionCache }>();

/**
 * Reads the session from the cookie of a request; `undefined` without exactly one that has a valid signature.
 *
 * A verified session is cached under the full text of its cookie until the keys change. Map hashes strings with a
 * random seed, so look-up times reveal nothing to an attacker who varies the text.
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
  sessions.add(text, session);
  return session;
}

function cachedSessions(cookie: SignedCookie): SessionCache {
  const keys = Configuration.secretKeys(cookie.purpose);
  let cache = sessionCaches.get(cookie);
  if (cache?.keys !== keys) {
    cache = { keys, sessions: new SessionCache(maxCacheBytes) };
    sessionCaches.set(cookie, cache);
  }
  return cache.sessions;
}
