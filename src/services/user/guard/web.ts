import { type Handler, type Middleware, type Request, Response } from "../../../web/index.ts";
import type { User } from "../contract.ts";
import { refuseStranger, user } from "../current/web.ts";
import { errors } from "../errors.ts";

/** What a route that is not for everybody does with those who are not logged in. */
export interface RequireOptions {
  /** The page where people log in. Without it they get an error page (401), as programs do. */
  readonly loginPath?: string;
}

const parameter = "return_to";
const longest = 2048;

/**
 * Lets in who is logged in. A browser that wants a page is led to the log-in page, which finds its way back with
 * `returnPath`; all else gets E_USER_LOGIN_REQUIRED (401). Stands behind `middleware` or `userFromToken`.
 *
 * @throws E_USER_GUARD_PATH when it is made with a path that leads elsewhere
 */
export function requireUser(options: RequireOptions = {}): Middleware {
  return letIn("requireUser", options, () => undefined);
}

/** What a route for those with a confirmed address does with others. */
export interface RequireConfirmedOptions extends RequireOptions {
  /** The page that says how to confirm the address. Without it they get an error page (403), as programs do. */
  readonly confirmPath?: string;
}

/**
 * Lets in whose address is confirmed. Who is not logged in is treated as `requireUser` does; of the others, a browser that
 * wants a page is led to the one that says how to confirm it; all else gets E_USER_CONFIRMATION_REQUIRED (403).
 *
 * @throws E_USER_GUARD_PATH when it is made with a path that leads elsewhere
 */
export function requireConfirmed({ confirmPath, ...options }: RequireConfirmedOptions = {}): Middleware {
  demandLocal(confirmPath);
  return letIn("requireConfirmed", options, ({ confirmed }, request) => {
    if (confirmed) return undefined;
    if (confirmPath === undefined || !request.wants("html")) throw errors.E_USER_CONFIRMATION_REQUIRED();
    return leadTo(`${request.prefix}${confirmPath}`);
  });
}

/** Lets in admins. Who is not logged in is treated as `requireUser` does; others get E_USER_ADMIN_REQUIRED (403). */
export function requireAdmin(options: RequireOptions = {}): Middleware {
  return letIn("requireAdmin", options, ({ admin }) => {
    if (admin) return undefined;
    throw errors.E_USER_ADMIN_REQUIRED();
  });
}

/** What is answered to a user who is not let in; it may throw instead. */
type Refuse = (user: User, request: Request) => Response | undefined;

function letIn(name: string, { loginPath }: RequireOptions, refuse: Refuse): Middleware {
  demandLocal(loginPath);
  const middleware: Middleware = (handler: Handler) => async (request) => {
    const current = await user(request);
    if (current === undefined) return askToLogIn(request, loginPath);
    return refuse(current, request) ?? handler(request);
  };
  return Object.defineProperty(middleware, "name", { value: name });
}

function askToLogIn(request: Request, loginPath: string | undefined): Response {
  if (loginPath !== undefined && request.wants("html")) {
    return leadTo(`${request.prefix}${loginPath}${wayBack(request)}`);
  }
  return refuseStranger(request);
}

const leadTo = (path: string): Response => Response.redirect(path).withHeader("cache-control", "no-store");

function demandLocal(path: string | undefined): void {
  if (path !== undefined && !isLocal(path)) throw errors.E_USER_GUARD_PATH(path);
}

/** Only pages can be gone back to: a form that was sent cannot be sent again by a link. */
function wayBack({ method, target }: Request): string {
  const isPage = (method === "GET" || method === "HEAD") && isLocal(target) && target.length <= longest;
  return isPage ? `?${parameter}=${encodeURIComponent(target)}` : "";
}

/**
 * Where to go after log-in: the page that `requireUser` led away from, as the query of the log-in page has it, or
 * `fallback`. Never another site. The form of the log-in page keeps it by having no `action`.
 */
export function returnPath(request: Request, fallback = "/"): string {
  const given = request.query.getAll(parameter);
  const [path] = given;
  const isGood = given.length === 1 && path !== undefined && path.length <= longest && isLocal(path);
  return isGood ? path : `${request.prefix}${fallback}`;
}

/** As `Response.redirect` has it: one slash, then neither slash nor backslash, and nothing that browsers drop. */
function isLocal(path: string): boolean {
  return /^\/(?![/\\])[^\p{Cc}\\]*$/u.test(path);
}
