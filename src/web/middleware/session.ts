import { Time } from "../../time/index.ts";
import { mapResponse } from "../../http/router/index.ts";
import { SessionState } from "../session/session-state.ts";
import { cookieByEnvironment } from "../session/signed-cookie.ts";
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
}

/**
 * Adds a session to requests, for `Web.Session` and `Web.Csrf`. It is stored in one signed cookie: `HttpOnly`,
 * `SameSite=Lax`, `Path=/`.
 *
 * The client can read the cookie but not change it: a cookie that was changed, signed with another key or sent twice is
 * ignored. Keys are derived from `FRAMEWORK_SECRET`; cookies signed with a former secret (`FRAMEWORK_SECRET_OLD`) are
 * accepted and signed again. A page that does not use the session sets no cookie. A response that sets the session is
 * `no-store`, and one that reads it is `private` unless it has its own `Cache-Control`.
 *
 * Fails with E_SESSION_TOO_LARGE if the cookie exceeds 4,096 bytes with name and signature: 2,900 bytes of content fit.
 */
export const session: MiddlewareFactory<SessionOptions> = middlewareFactory("session", (options) => {
  const { name = "_session", secure, maxAgeMs = Time.days(30), idleTimeoutMs = Infinity } = options;
  const cookie = cookieByEnvironment("session", name, secure);
  const lifetime = {
    maxAgeMs,
    idleTimeoutMs,
    outlivesBrowser: options.maxAgeMs !== undefined && maxAgeMs !== Infinity,
  };
  return (handler) => (request) => {
    const state = new SessionState(request, cookie(), lifetime);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
