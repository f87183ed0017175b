import type { Request, Response } from "../../http/message/index.ts";
import { sessionChange, SessionState } from "./session-state.ts";

export { field, type SessionField } from "./session-field.ts";

/** Keys and values of a session. A value of `undefined` or `null` removes its key. */
export type SessionPairs = Iterable<readonly [key: string, value: string | undefined | null]>;

/** Returns the value of a key, or `undefined`. @throws E_SESSION_MISSING if the route has no session middleware */
export function find(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.values.get(key);
}

/** Returns all values of the application in the session. @throws E_SESSION_MISSING */
export function all(request: Request): ReadonlyMap<string, string> {
  return new Map(SessionState.of(request).content.values);
}

/**
 * Replaces all values of the application in the session. Without pairs the session ends.
 *
 * The session is stored in a cookie that the client can read. It has at most 4,096 bytes with name and signature, which
 * leaves 2,900 bytes of content. Store secrets and larger data elsewhere, and only a reference in the session. The request
 * fails with E_SESSION_TOO_LARGE if the session does not fit, and the old session stays. The last call wins.
 *
 * @example
 * return Web.Session.set([["user_id", user.id]], Web.Response.redirect("/"));
 */
export function set(pairs: SessionPairs, response: Response): Response {
  return response.withValue(sessionChange, { ...response.get(sessionChange), values: toMap(pairs) });
}

/**
 * Starts a new session at login. It drops all values, the CSRF secret among them, so that a session planted by an
 * attacker is useless afterwards (session fixation, OWASP ASVS 7.2.4).
 *
 * @param reservedPairs values of services in the new session, which `set` does not change; see `findReserved`
 */
export function renew(reservedPairs: SessionPairs, response: Response): Response {
  return response.withValue(sessionChange, {
    values: new Map(),
    ...response.get(sessionChange),
    reserved: toMap(reservedPairs),
  });
}

/** Returns a value that a service stored in the session, or `undefined`; `set` keeps it. @throws E_SESSION_MISSING */
export function findReserved(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.reserved.get(key);
}

function toMap(pairs: SessionPairs): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (value === undefined || value === null) values.delete(key);
    else values.set(key, value);
  }
  return values;
}
