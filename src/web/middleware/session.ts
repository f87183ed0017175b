import { Time } from "../../time/index.ts";
import type { Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { type Handler, mapResponse } from "../../http/router/index.ts";
import { SessionState } from "../session/session-state.ts";
import { cookieByEnvironment } from "../session/signed-cookie.ts";
import { type SessionStore, StoredSession } from "../session/stored-session.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the session middleware. */
export interface SessionOptions {
  /** Name of the cookie, without `__Host-`. Default `_session`. */
  readonly name?: string;
  /** True if the cookie is `Secure` and its name has the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /**
   * Maximum age of a session, in milliseconds, measured from its start. If it is set, the cookie outlives the browser; `Infinity`
   * means no maximum. Default: 30 days, also for a copy of the cookie, and the browser deletes the cookie when it closes.
   */
  readonly maxAgeMs?: number;
  /** Time without requests after which a session ends, in milliseconds. Default: none. */
  readonly idleTimeoutMs?: number;
  /**
   * Store of the content, such as a `Cache` service; the cookie then holds a random id. For sessions that are larger than a
   * cookie, or that their owner must not read. Each request with a session waits for the store. Default: the cookie.
   */
  readonly store?: SessionStore;
  /**
   * Time to wait for another request of the same session, in milliseconds: requests of a stored session then run one after
   * the other, so that none loses what another one writes. E_SESSION_LOCKED (503) after it. Default: they run in parallel.
   */
  readonly lockWaitMs?: number;
}

/**
 * Adds a session to requests, for `Web.Session` and `Web.Csrf`. It is stored in one signed cookie: `HttpOnly`,
 * `SameSite=Lax`, `Path=/`; with `store`, its content is there.
 *
 * The client can read the cookie but not change it: a cookie that was changed, signed with another key or sent twice is
 * ignored. Keys are derived from `FRAMEWORK_SECRET`; cookies signed with a former secret (`FRAMEWORK_SECRET_OLD`) are
 * accepted and signed again. A page that does not use the session sets no cookie. A response that sets the session is
 * `no-store`, and one that reads it is `private` unless it has its own `Cache-Control`.
 *
 * Fails with E_SESSION_TOO_LARGE if the cookie exceeds 4,096 bytes with name and signature: 2,900 bytes of content fit.
 * The factory throws E_SESSION_STORE for `lockWaitMs` without `store`.
 */
export const session: MiddlewareFactory<SessionOptions> = middlewareFactory("session", (options) => {
  const { name = "_session", secure, maxAgeMs = Time.days(30), idleTimeoutMs = Infinity } = options;
  const cookie = cookieByEnvironment("session", name, secure);
  const lifetime = {
    maxAgeMs,
    idleTimeoutMs,
    outlivesBrowser: options.maxAgeMs !== undefined && maxAgeMs !== Infinity,
  };
  const { store, lockWaitMs } = options;
  if (store === undefined && lockWaitMs !== undefined) throw errors.E_SESSION_STORE();
  return (handler) => {
    const handle = (request: Request, stored?: StoredSession): ReturnType<Handler> => {
      const state = new SessionState(request, cookie(), lifetime, stored);
      return mapResponse(handler(request), (response) => state.write(response));
    };
    if (store === undefined) return (request) => handle(request);
    return (request) =>
      StoredSession.use({ store, cookie: cookie(), lockWaitMs }, request, (stored) => handle(request, stored));
  };
});
