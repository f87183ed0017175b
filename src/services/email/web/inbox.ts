import { ConfigurationInternals } from "../../../config/index.ts";
import { lazy } from "../../../core/index.ts";
import { choose, get, type Middleware, type Router } from "../../../web/index.ts";
import type { EmailService, MailPreview } from "../contract.ts";
import { errors } from "../errors.ts";

/** Options of `Email.Web.inbox`. */
export interface InboxOptions {
  readonly email: EmailService;
  /** Mails with sample values, which the list shows below the captured ones. Default: none. */
  readonly previews?: readonly MailPreview[];
}

// The pages are loaded on the first request, because most processes never serve them (docs/decisions/017).
const loadPages = lazy(() => import("./inbox-page.ts"));

/**
 * Returns the routes of an inbox: a list of the captured mails, and a page for each as a mail client shows it. They respond
 * with 404 unless `FRAMEWORK_ENV` is set to `development` or `test`.
 *
 * @example
 * export const router = Web.choose([site, Web.choose([Email.Web.inbox({ email })], { scope: "/mails" })]);
 */
export function inbox(options: InboxOptions): Router {
  return choose(
    [
      get("/", async (request) => (await loadPages()).showInbox(request, options), { name: "email.inbox" }),
      get("/:id", async (request) => (await loadPages()).showMail(request, options), { name: "email.inbox.mail" }),
      get("/:id/page", async (request) => (await loadPages()).showMailPage(request, options), {
        name: "email.inbox.page",
      }),
      get("/:id/attachments/:number", async (request) => (await loadPages()).sendAttachment(request, options), {
        name: "email.inbox.attachment",
      }),
    ],
    { middlewares: [outsideProduction] },
  );
}

/** Refuses requests in production, and on a server where `FRAMEWORK_ENV` is not set. */
const outsideProduction: Middleware = (handler) => (request) => {
  if (ConfigurationInternals.hasOpenDeveloperPages()) return handler(request);
  throw errors.E_EMAIL_INBOX_PAGE();
};
