import { lazy } from "../../../../core/index.ts";
import { Time } from "../../../../time/index.ts";
import * as Web from "../../../../web/index.ts";
import { get, post } from "../../../../web/index.ts";
import type { Registration } from "../../contract.ts";
import { byUser, middleware } from "../current-user.ts";
import { requireUser } from "../guards.ts";
import type { AccountPages, AccountRouterOptions } from "./pages.ts";

/**
 * Creates the pages of accounts: `/register`, `/login`, and below `/account` the devices, the password, the e-mail address
 * and the deletion.
 *
 * A client may try 30 logins and registrations per minute, and the user service limits the logins per account and address.
 * A user may request ten mails per hour. The login page links to `/password-reset`. `/login` and `/register` fill in the
 * address of the query, `email`, and return to `return_to`.
 *
 * @example
 * export const router = Web.choose([site, User.Web.accountRouter({ account, user, layout })]);
 */
export function accountRouter<Input extends Registration = Registration>(
  options: AccountRouterOptions<Input>,
): Web.Router {
  const { middlewares = [...Web.Middleware.site(), middleware(options.user, { preload: true })] } = options;
  // Loaded on the first request, because most starts never need the pages (docs/decisions/017).
  const pages = lazy(async () => (await import("./pages.ts")).makePages(options));
  const page =
    (name: keyof AccountPages): Web.Handler =>
    async (request) =>
      (await pages())[name](request);
  const open = { guard: "open" };
  const credentials = Web.choose([post("/register", page("register"), open), post("/login", page("logIn"), open)], {
    middlewares: [Web.Middleware.requestLimit({ name: "login", limit: 30, periodMs: Time.minutes(1) })],
  });
  const mails = Web.choose(
    [post("/account/email", page("changeEmail")), post("/account/email/link", page("sendLink"))],
    {
      middlewares: [Web.Middleware.requestLimit({ name: "links", limit: 10, periodMs: Time.hours(1), key: byUser })],
    },
  );
  const members = Web.choose(
    [
      get("/account", page("showAccount")),
      post("/account/password", page("changePassword")),
      post("/account/sessions/end", page("endOtherSessions")),
      post("/account/sessions/:id/end", page("endSession")),
      get("/account/email", page("showEmailChange")),
      get("/account/email/confirm", page("showConfirmation")),
      post("/account/email/confirm", page("confirm")),
      mails,
      get("/account/delete", page("showDeletion")),
      post("/account/delete", page("deleteAccount")),
    ],
    { middlewares: [requireUser({ loginPath: "/login" })] },
  );
  return Web.choose(
    [
      get("/register", page("showRegistration")),
      get("/login", page("showLogin")),
      post("/logout", page("logOut"), open),
      credentials,
      members,
    ],
    { middlewares },
  );
}
