import { refuseImpersonator } from "../../../authorization/index.ts";
import { type Handler, mapResponse, type Middleware, OpenApi, type Request, Response } from "../../../web/index.ts";
import type { User } from "../contract.ts";
import { errors } from "../errors.ts";
import { loginRequired, user } from "./current-user.ts";

/** Options of the guards `requireUser` and `requireAdmin`. */
export interface RequireOptions {
  /** Path of the login page. Without it, browsers get an error page (401), as API clients do. */
  readonly loginPath?: string;
}

const returnToParameter = "return_to";
const maxReturnPathLength = 2048;

/**
 * Guards routes for logged-in users. Responses are `no-store` unless they have their own `Cache-Control`. A browser that
 * requests a page is redirected to the login page, which returns with `returnPath`. Other requests get
 * E_USER_LOGIN_REQUIRED (401). Place it after `middleware` or `userFromToken`.
 *
 * @throws E_USER_GUARD_PATH on creation if the path leads to another site
 */
export function requireUser(options: RequireOptions = {}): Middleware {
  return guardWith("requireUser", options, {}, () => undefined);
}

/** Options of the guard `requireConfirmed`. */
export interface RequireConfirmedOptions extends RequireOptions {
  /** Path of the page that explains how to confirm the address. Without it, browsers get an error page (403). */
  readonly confirmPath?: string;
}

/**
 * Guards routes for users with a confirmed address. Without a user it behaves like `requireUser`. Without a confirmed
 * address, a browser that requests a page is redirected to `confirmPath`; other requests get E_USER_CONFIRMATION_REQUIRED
 * (403).
 *
 * @throws E_USER_GUARD_PATH on creation if a path leads to another site
 */
export function requireConfirmed({ confirmPath, ...options }: RequireConfirmedOptions = {}): Middleware {
  requireLocalPath(confirmPath);
  const forbidden = { 403: OpenApi.failure("The user has not confirmed the e-mail address") };
  return guardWith("requireConfirmed", options, forbidden, ({ confirmed }, request) => {
    if (confirmed) return undefined;
    if (confirmPath === undefined || !request.wants("html")) throw errors.E_USER_CONFIRMATION_REQUIRED();
    return redirectUncached(`${request.prefix}${confirmPath}`);
  });
}

/** Guards routes for admins. Without a user it behaves like `requireUser`; others get E_USER_ADMIN_REQUIRED (403). */
export function requireAdmin(options: RequireOptions = {}): Middleware {
  const forbidden = { 403: OpenApi.failure("The user is no admin") };
  return guardWith("requireAdmin", options, forbidden, ({ admin }) => {
    if (admin) return undefined;
    throw errors.E_USER_ADMIN_REQUIRED();
  });
}

/**
 * Guards routes that only the user may use, such as payments: an admin who acts as the user gets E_IMPERSONATED (403). Place it
 * after `middleware`.
 */
export function requireSelf(): Middleware {
  const middleware: Middleware = (handler) => (request) => {
    refuseImpersonator(undefined);
    return handler(request);
  };
  return OpenApi.describe(Object.defineProperty(middleware, "name", { value: "requireSelf" }), {
    responses: { 403: OpenApi.failure("An admin acts as the user") },
  });
}

/** Returns the response for a user that the guard refuses, or `undefined` to let the request pass. It may throw. */
type Reject = (user: User, request: Request) => Response | undefined;

function guardWith(
  name: string,
  { loginPath }: RequireOptions,
  forbidden: OpenApi.ResponseDescriptions,
  reject: Reject,
): Middleware {
  requireLocalPath(loginPath);
  const middleware: Middleware = (handler: Handler) => async (request) => {
    const current = await user(request);
    if (current === undefined) return redirectToLogin(request, loginPath);
    // Pages for users stay out of caches, also the one that the back button shows after logout (OWASP ASVS 14.3.2).
    return mapResponse(reject(current, request) ?? handler(request), (response) =>
      response.withDefaultHeaders(uncached),
    );
  };
  return OpenApi.describe(Object.defineProperty(middleware, "name", { value: name }), {
    requiresCredentials: true,
    responses: { 401: OpenApi.failure("There is no logged-in user"), ...forbidden },
  });
}

const uncached = { "cache-control": "no-store" };

function redirectToLogin(request: Request, loginPath: string | undefined): Response {
  if (loginPath !== undefined && request.wants("html")) {
    return redirectUncached(`${request.prefix}${loginPath}${returnToQuery(request)}`);
  }
  return loginRequired(request);
}

const redirectUncached = (path: string): Response => Response.redirect(path).withDefaultHeaders(uncached);

function requireLocalPath(path: string | undefined): void {
  if (path !== undefined && !isLocalPath(path)) throw errors.E_USER_GUARD_PATH(path);
}

/** Returns the query that names the current page. It is empty for a submitted form, which a link cannot repeat. */
function returnToQuery({ method, target }: Request): string {
  const isPage = (method === "GET" || method === "HEAD") && isLocalPath(target) && target.length <= maxReturnPathLength;
  return isPage ? `?${returnToParameter}=${encodeURIComponent(target)}` : "";
}

/**
 * Returns the path to redirect to after login: the page that `requireUser` redirected from, or `fallback`. It never leads
 * to another site. It is in the query of the login page, which a form without `action` keeps.
 */
export function returnPath(request: Request, fallback = "/"): string {
  const values = request.query.getAll(returnToParameter);
  const [path] = values;
  const isValid = values.length === 1 && path !== undefined && path.length <= maxReturnPathLength && isLocalPath(path);
  return isValid ? path : `${request.prefix}${fallback}`;
}

/** Same rule as `Response.redirect`: one slash, then no slash or backslash, and no character that browsers drop. */
function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[^\p{Cc}\\]*$/u.test(path);
}
