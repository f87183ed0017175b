import { Configuration } from "../../config/index.ts";
import type { Cookies } from "../../http/message/index.ts";
import { decodeContent, type SessionContent } from "./session-content.ts";
import { readCookie, sentOnce, type SignedCookie } from "./signed-cookie.ts";

/** A session as its cookie tells it. Whether its time is over is not looked at here. */
export interface KnownSession {
  readonly content: SessionContent;
  /** When the cookie was signed, in milliseconds since 1970. */
  readonly time: number;
  /** False when an old key signed it. */
  readonly isCurrent: boolean;
}

interface Memory {
  readonly keys: object;
  readonly sessions: Map<string, KnownSession>;
}

// Of a busy site the visitors of about a minute; with the longest cookies some 10 MB.
const capacity = 1000;

const memories = new WeakMap<SignedCookie, Memory>();

/**
 * The session of a request's cookie; `undefined` when it is absent, was not signed by us, or was sent twice.
 *
 * A visitor sends the same cookie again and again: what was found right once is remembered under its whole text,
 * signature included, as long as the keys are the same. The text that an attacker varies is hashed by a seeded function
 * and so tells nothing by the time it takes.
 */
export function readSession(cookie: SignedCookie, cookies: Cookies): KnownSession | undefined {
  const text = sentOnce(cookie, cookies);
  const sessions = remembered(cookie);
  const known = text === undefined ? undefined : sessions.get(text);
  if (known !== undefined) return known;
  const verified = readCookie(cookie, cookies);
  const content = verified === undefined ? undefined : decodeContent(verified.value);
  if (text === undefined || verified === undefined || content === undefined) return undefined;
  const session = { content, time: verified.time, isCurrent: verified.isCurrent };
  if (sessions.size >= capacity) forgetOldest(sessions);
  sessions.set(text, session);
  return session;
}

function remembered(cookie: SignedCookie): Map<string, KnownSession> {
  const keys = Configuration.secretKeys(cookie.purpose);
  let memory = memories.get(cookie);
  if (memory?.keys !== keys) {
    memory = { keys, sessions: new Map() };
    memories.set(cookie, memory);
  }
  return memory.sessions;
}

function forgetOldest(sessions: Map<string, KnownSession>): void {
  for (const oldest of sessions.keys()) {
    sessions.delete(oldest);
    return;
  }
}
