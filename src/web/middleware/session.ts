import { Configuration } from "../../config/index.ts";
import { type Handler, mapResponse } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { SessionState } from "../session/session-state.ts";
import { signedCookie } from "../session/signed-cookie.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the session middleware. */
export interface SessionOptions {
  /** Name of the cookie, without `__Host-`. Default `_session`. */
  readonly name?: string;
  /** True if the cookie is `Secure` and its name has the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /**
   * Maximum age of a session, in milliseconds. With it, the cookie outlives the browser. Default: none, the session ends
   * when the browser closes.
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
 * Fails with E_SESSION_TOO_LARGE if the cookie's name and value exceed 4,096 bytes.
 */
export const session: MiddlewareFactory<SessionOptions> = middlewareFactory("session", (options) => {
  const { name = "_session", secure, maxAgeMs = Infinity, idleTimeoutMs = Infinity } = options;
  const cookies = {
    plain: signedCookie("session", name, false),
    secure: signedCookie("session", name, true),
  };
  const lifetime = { maxAgeMs, idleTimeoutMs };
  return (handler: Handler) => (request: Request) => {
    const isSecure = secure ?? Configuration.environment() === "production";
    const state = SessionState.open(request, isSecure ? cookies.secure : cookies.plain, lifetime);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
