import { Schema } from "../../../schema/index.ts";
import { Time } from "../../../time/index.ts";
import * as Web from "../../../web/index.ts";
import type { UserService } from "../contract.ts";
import { errors } from "../errors.ts";
import { impersonate, middleware, checkAllPaths, stopImpersonating } from "./current-user.ts";
import { requireAdmin } from "./guards.ts";
import { endPath } from "./impersonated-request.ts";

/** Options of `impersonationRouter`. */
export interface ImpersonationRouterOptions {
  /** User service with the option `audit`. */
  readonly user: UserService;
  /** Path of the first page that the administrator sees as the user. Default `/`. */
  readonly startPath?: string;
  /** Path of the page that the administrator sees after the end. Default `/`. */
  readonly endPath?: string;
  /** Time after which an impersonation ends, in milliseconds, at most a day. Default one hour. */
  readonly durationMs?: number;
}

const formSchema = Schema.record({ user: Schema.string(), reason: Schema.text() });

/**
 * Creates the routes by which an administrator acts as another user: `POST /impersonation` with the fields `user` (an id) and
 * `reason`, and `POST /impersonation/end`, to which the button of the banner posts. Do not put them below a scope.
 *
 * List `Web.Middleware.session()` and `middleware(user)` in the `middlewares` of `Web.Http.service`, so that all pages have the
 * banner. Without them, a start fails with E_USER_IMPERSONATION_SETUP.
 *
 * @throws E_USER_IMPERSONATION_SETUP if the user service has no audit trail, or the duration is invalid
 * @example
 * export const router = Web.choose([site, User.Web.impersonationRouter({ user, startPath: "/account" })]);
 */
export function impersonationRouter(options: ImpersonationRouterOptions): Web.Router {
  const { user, startPath = "/", endPath: pathAfterEnd = "/", durationMs = Time.hours(1) } = options;
  if (user.impersonation === undefined) {
    throw errors.E_USER_IMPERSONATION_SETUP("User.service needs the option `audit`, because each one is recorded.");
  }
  if (!(durationMs > 0 && durationMs <= Time.days(1))) {
    throw errors.E_USER_IMPERSONATION_SETUP(`durationMs is ${durationMs}, and must be from 1 to ${Time.days(1)}.`);
  }
  const start: Web.Handler = async (request) => {
    const { value } = formSchema.decode(await request.form());
    const { user: id = "", reason = "" } = value ?? {};
    return impersonate(request, id, { reason, durationMs }, Web.Response.redirect(request.prefix + startPath));
  };
  const end: Web.Handler = (request) =>
    stopImpersonating(request, Web.Response.redirect(request.prefix + pathAfterEnd));
  return Web.choose(
    [
      Web.choose([Web.post("/impersonation", start)], { middlewares: [requireAdmin()] }),
      Web.post(endPath, end, { guard: "open" }),
    ],
    { middlewares: [middleware(user), checkAllPaths, Web.Middleware.csrf()] },
  );
}
