import type { Request, Response } from "../../http/message/index.ts";
import { sessionChange, SessionState } from "./session-state.ts";

export { field, type SessionField } from "./session-field.ts";

/** Keys and values of a session. A value of `undefined` or `null` removes its key. */
export type SessionPairs = Iterable<readonly [key: string, value: string | undefined | null]>;

/** Options of `renew`. */
export interface RenewOptions {
  /** Keys of the application whose values the new session keeps. Default: none. */
  readonly keep?: readonly string[] | undefined;
  /** True if the maximum age is measured from the start of the old session. Default false. */
  readonly keepAge?: boolean | undefined;
}

/** Returns the value of a key, or `undefined`. @throws E_SESSION_MISSING if the route has no session middleware */
export function find(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.values.get(key);
}

/** Returns all values of the application in the session. @throws E_SESSION_MISSING */
export function all(request: Request): ReadonlyMap<string, string> {
  return new Map(SessionState.of(request).content.values);
}

/**
 * Replaces all values of the application in the session; `update` changes single ones. Without pairs the session ends.
 *
 * The session is stored in a cookie that the client can read. It has at most 4,096 bytes with name and signature, which
 * leaves 2,900 bytes of content. Store secrets and larger data elsewhere, and only a reference in the session. The request
 * fails with E_SESSION_TOO_LARGE if the session does not fit, and the old session stays. Several changes of one response
 * apply in their order.
 *
 * @example
 * return Web.Session.set([["user_id", user.id]], Web.Response.redirect("/"));
 */
export function set(pairs: SessionPairs, response: Response): Response {
  return response.withValue(sessionChange, { ...response.get(sessionChange), kept: [], values: toMap(pairs) });
}

/**
 * Sets values of the application in the session, and keeps the others. Of two responses to requests at the same time, the
 * browser stores the session of the last one, as it is one cookie.
 *
 * @example
 * return Web.Session.update([["cart", JSON.stringify(cart)]], Web.Response.redirect("/cart"));
 */
export function update(pairs: SessionPairs, response: Response): Response {
  const change = response.get(sessionChange);
  const values = new Map([...(change?.values ?? []), ...toMap(pairs)]);
  return response.withValue(sessionChange, { ...change, values });
}

/**
 * Removes values of the application from the session, and keeps the others.
 *
 * @example
 * return Web.Session.forget(["cart"], Web.Response.redirect("/orders"));
 */
export function forget(keys: readonly string[], response: Response): Response {
  return update(
    keys.map((key) => [key, undefined]),
    response,
  );
}

/**
 * Starts a new session at login. It drops all values, the CSRF secret among them, so that a session planted by an
 * attacker is useless afterwards (session fixation, OWASP ASVS 7.2.4). It keeps the values that `keep` names, and those
 * that the response sets.
 *
 * @param reservedPairs values of services in the new session, which `set` does not change; see `findReserved`
 */
export function renew(
  reservedPairs: SessionPairs,
  response: Response,
  { keep = [], keepAge = false }: RenewOptions = {},
): Response {
  const change = response.get(sessionChange);
  const kept = keep.filter((key) => change?.kept?.includes(key) ?? true);
  return response.withValue(sessionChange, { ...change, kept, keepsAge: keepAge, reserved: toMap(reservedPairs) });
}

/** Returns a value that a service stored in the session, or `undefined`; `set` keeps it. @throws E_SESSION_MISSING */
export function findReserved(key: string, request: Request): string | undefined {
  return SessionState.of(request).content.reserved.get(key);
}

const toMap = (pairs: SessionPairs): ReadonlyMap<string, string | undefined> =>
  new Map([...pairs].map(([key, value]) => [key, value ?? undefined]));
