import { ConfigurationInternals } from "../../../config/index.ts";
import { choose, get, type Middleware, type Router } from "../../../web/index.ts";
import type { EmailService } from "../contract.ts";
import { errors } from "../errors.ts";
import { sendAttachment, showInbox, showMail, showMailPage } from "./inbox-page.ts";

/** Options of `Email.Web.inbox`. */
export interface InboxOptions {
  readonly email: EmailService;
}

/**
 * Returns the routes of an inbox: a list of the captured mails, and a page for each as a mail client shows it. They respond
 * with 404 unless `FRAMEWORK_ENV` is set to `development` or `test`.
 *
 * @example
 * export const router = Web.choose([site, Web.choose([Email.Web.inbox({ email })], { scope: "/mails" })]);
 */
export function inbox({ email }: InboxOptions): Router {
  return choose(
    [
      get("/", (request) => showInbox(request, email), { name: "email.inbox" }),
      get("/:id", (request) => showMail(request, email), { name: "email.inbox.mail" }),
      get("/:id/page", (request) => showMailPage(request, email), {
        name: "email.inbox.page",
      }),
      get("/:id/attachments/:number", (request) => sendAttachment(request, email), {
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
