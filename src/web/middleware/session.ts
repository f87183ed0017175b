import { Configuration } from "../../config/index.ts";
import { type Handler, mapResponse } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { SessionState } from "../session/session-state.ts";
import { signedCookie } from "../session/signed-cookie.ts";
import { factory, type Factory } from "./factory.ts";

/** How sessions are kept. */
export interface SessionOptions {
  /** The name of the cookie, without `__Host-`. Default `_session`. */
  readonly name?: string;
  /** Whether the cookie is `Secure` and its name carries the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /**
   * Milliseconds from its beginning after which a session ends; until then it outlives the browser. Default: none, the
   * session ends when the browser does.
   */
  readonly maxAge?: number;
  /** Milliseconds without use after which a session ends. Default: none. */
  readonly idle?: number;
}

/**
 * Gives requests a session, for `Web.Session` and `Web.Csrf`, that travels in one signed cookie: `HttpOnly`,
 * `SameSite=Lax`, `Path=/`.
 *
 * The client can read the cookie and cannot change it: a cookie that was changed, was signed by another key, or
 * was sent twice is no session. Keys come from `FRAMEWORK_SECRET`; what a former one (`FRAMEWORK_SECRET_OLD`) signed is
 * accepted and signed anew. A page that does not touch the session sets no cookie and costs nothing; a response that
 * sets it is `no-store`, and one that was made from it `private`, unless it says otherwise.
 *
 * Throws E_SESSION_TOO_LARGE on the way out when the cookie's name and value exceed 4,096 bytes.
 */
export const session: Factory<SessionOptions> = factory("session", (options) => {
  const { name = "_session", secure, maxAge = Infinity, idle = Infinity } = options;
  const cookies = {
    plain: signedCookie("session", name, false),
    secure: signedCookie("session", name, true),
  };
  const life = { maxAge, idle };
  return (handler: Handler) => (request: Request) => {
    const isSecure = secure ?? Configuration.environment() === "production";
    const state = SessionState.open(request, isSecure ? cookies.secure : cookies.plain, life);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
