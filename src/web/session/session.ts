import type { Request, Response } from "../../http/message/index.ts";
import { sessionChange, SessionState } from "./session-state.ts";

/** Keys and values of a session. A value that is `undefined` or `null` leaves its key out. */
export type SessionPairs = Iterable<readonly [key: string, value: string | undefined | null]>;

/**
 * The value of a key in the session, or `undefined`.
 *
 * @throws E_SESSION_MISSING when the route runs without the session middleware
 */
export function find(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.values.get(key);
}

/**
 * All that the application keeps in the session.
 *
 * @throws E_SESSION_MISSING
 */
export function all(request: Request): ReadonlyMap<string, string> {
  return new Map(SessionState.of(request).content.values);
}

/**
 * Replaces all that the application keeps in the session; what is not among the pairs is gone. No pairs end it.
 *
 * The session travels in a cookie that its owner can read: keep secrets, and what is larger than about 2,900 bytes,
 * elsewhere and only a reference here. A session that does not fit makes the request fail with E_SESSION_TOO_LARGE and
 * leaves the old one as it is. Of several calls on one response the last one wins.
 *
 * @example
 * return Web.Session.set([["user_id", user.id]], Web.Response.redirect("/"));
 */
export function set(pairs: SessionPairs, response: Response): Response {
  return response.withSlot(sessionChange, { ...response.slot(sessionChange), values: present(pairs) });
}

/**
 * Begins a new session for whoever logs in: what the framework kept so far, the CSRF secret above all, is forgotten, so
 * that nothing that was planted before is of use afterwards (OWASP ASVS 7.2.4).
 *
 * @param kept what services keep in the new session, out of reach of `set`; see `reserved`
 */
export function renew(kept: SessionPairs, response: Response): Response {
  return response.withSlot(sessionChange, {
    values: new Map(),
    ...response.slot(sessionChange),
    reserved: present(kept),
  });
}

/**
 * A value that a service keeps in the session beside those of the application, or `undefined`.
 *
 * @throws E_SESSION_MISSING
 */
export function reserved(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.reserved.get(key);
}

function present(pairs: SessionPairs): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (value === undefined || value === null) values.delete(key);
    else values.set(key, value);
  }
  return values;
}
