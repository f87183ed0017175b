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
 * @throws E_USER_LOGIN_PATH when it is made with a path that leads elsewhere
 */
export function requireUser(options: RequireOptions = {}): Middleware {
  return letIn("requireUser", options, () => true);
}

/** Lets in admins. Who is not logged in is treated as `requireUser` does; others get E_USER_ADMIN_REQUIRED (403). */
export function requireAdmin(options: RequireOptions = {}): Middleware {
  return letIn("requireAdmin", options, ({ admin }) => admin);
}

function letIn(name: string, { loginPath }: RequireOptions, isAllowed: (user: User) => boolean): Middleware {
  if (loginPath !== undefined && !isLocal(loginPath)) throw errors.E_USER_LOGIN_PATH(loginPath);
  const middleware: Middleware = (handler: Handler) => async (request) => {
    const current = await user(request);
    if (current === undefined) return askToLogIn(request, loginPath);
    if (!isAllowed(current)) throw errors.E_USER_ADMIN_REQUIRED();
    return handler(request);
  };
  return Object.defineProperty(middleware, "name", { value: name });
}

function askToLogIn(request: Request, loginPath: string | undefined): Response {
  if (loginPath !== undefined && request.wants("html")) {
    return Response.redirect(`${request.prefix}${loginPath}${wayBack(request)}`).withHeader(
      "cache-control",
      "no-store",
    );
  }
  return refuseStranger(request);
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
