import { lazy } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";
import * as Web from "../../../web/index.ts";
import { get, post } from "../../../web/index.ts";
import { errors } from "../errors.ts";
import type { ResetPages, RouterOptions } from "./pages.ts";

export type { RouterOptions } from "./pages.ts";

/** Limit of submitted forms per client. */
const clientLimit = { limit: 20, periodMs: Time.minutes(10) };

/**
 * Creates the pages of a password reset: the form for the address, the form for the new password that the mail links to,
 * and the page after each of them.
 *
 * Neither the content nor the time of a response reveals whether an address has an account. The token appears only in the
 * URL of the link, and never in a referrer (`Referrer-Policy`), a cache or a log. A client may submit 20 forms in ten
 * minutes. An address gets at most three mails per hour.
 *
 * @throws E_PASSWORD_RESET_EMAIL if the service cannot send mails
 *
 * @example
 * export const router = Web.choose([site, PasswordReset.Web.router({ passwordReset, layout, loginPath: "/login" })]);
 */
export function router(options: RouterOptions): Web.Router {
  const { passwordReset, scope = "/password-reset", store = Web.RequestLimit.memoryStore() } = options;
  const { middlewares = Web.Middleware.site() } = options;
  if (!passwordReset.canSendMail) throw errors.E_PASSWORD_RESET_EMAIL();

  // Loaded on the first request, because most starts never need the pages (docs/decisions/017).
  const pages = lazy(async () => (await import("./pages.ts")).makePages({ ...options, store }));
  const page =
    (name: keyof ResetPages): Web.Handler =>
    async (request) =>
      (await pages())[name](request);
  const open = { guard: "open" };
  const forms = Web.choose([post("/", page("sendLink"), open), post("/new", page("setPassword"), open)], {
    middlewares: [Web.Middleware.requestLimit({ ...clientLimit, name: "password-reset", store })],
  });
  return Web.choose(
    [
      get("/", page("showRequestForm"), { name: "passwordReset" }),
      get("/sent", page("showLinkSent"), { name: "passwordReset.sent" }),
      get("/new", page("showPasswordForm"), { name: "passwordReset.new" }),
      get("/done", page("showPasswordSet"), { name: "passwordReset.done" }),
      forms,
    ],
    { scope, middlewares: [noReferrerNoStore, ...middlewares] },
  );
}

/** Keeps the URLs and contents of the pages, error pages included, from other sites and from caches. */
const noReferrerNoStore: Web.Middleware = function noReferrerNoStore(handler) {
  return (request) => {
    Web.addErrorHeaders(request, { "referrer-policy": "no-referrer" });
    return Web.mapResponse(handler(request), (response) =>
      response.withHeader("referrer-policy", "no-referrer").withHeader("cache-control", "no-store"),
    );
  };
};
