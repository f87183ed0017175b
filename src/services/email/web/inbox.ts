import { Configuration } from "../../../config/index.ts";
import type { Html } from "../../../html/index.ts";
import { choose, get, link, type Middleware, type Request, Response, type Router } from "../../../web/index.ts";
import type { CapturedMail, EmailService } from "../contract.ts";
import { errors } from "../errors.ts";
import type { MailLinks } from "./inbox-page.ts";

/** Options of `Email.Web.inbox`. */
export interface InboxOptions {
  readonly email: EmailService;
}

/** Policy of a displayed mail: an opaque origin without scripts and forms. Its links open in new windows. */
const mailPolicy = [
  "sandbox allow-popups allow-popups-to-escape-sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: https:",
  "font-src data: https:",
  "frame-ancestors 'self'",
].join("; ");

/**
 * Returns the routes of an inbox: a list of the captured mails, and a page for each as a mail client shows it. They respond
 * with 404 unless `FRAMEWORK_ENV` is set to `development` or `test`.
 *
 * @example
 * export const router = Web.choose([site, Web.choose([Email.Web.inbox({ email })], { scope: "/mails" })]);
 */
export function inbox({ email }: InboxOptions): Router {
  const findMail = (id: string): CapturedMail => {
    const mail = email.inbox.findOpt(id);
    if (mail === undefined) throw errors.E_EMAIL_INBOX_PAGE();
    return mail;
  };
  // The pages are imported with the first request: most commands never need them (docs/decisions/017).
  return choose(
    [
      get(
        "/",
        async (request) => {
          const { inboxPage, inboxPolicy } = await import("./inbox-page.ts");
          return pageResponse(
            inboxPage(email.inbox.all(), (id) => mailLink(request, id)),
            inboxPolicy,
          );
        },
        { name: "email.inbox" },
      ),
      get(
        "/:id",
        async (request) => {
          const { mailPage, inboxPolicy } = await import("./inbox-page.ts");
          return pageResponse(
            mailPage(findMail(request.params.id), mailLinks(request, request.params.id)),
            inboxPolicy,
          );
        },
        { name: "email.inbox.mail" },
      ),
      get(
        "/:id/page",
        async (request) => {
          const { framedPage } = await import("./inbox-page.ts");
          return pageResponse(framedPage(findMail(request.params.id)), mailPolicy);
        },
        { name: "email.inbox.page" },
      ),
      get(
        "/:id/attachments/:number",
        (request) => attachmentResponse(findMail(request.params.id), Number(request.params.number)),
        {
          name: "email.inbox.attachment",
        },
      ),
    ],
    { middlewares: [outsideProduction] },
  );
}

/** Refuses requests in production, and on a server where `FRAMEWORK_ENV` is not set. */
const outsideProduction: Middleware = (handler) => (request) => {
  if (Configuration.isEnvironmentSet() && Configuration.environment() !== "production") return handler(request);
  throw errors.E_EMAIL_INBOX_PAGE();
};

const mailLink = (request: Request, id: string): string => link(request, "email.inbox.mail", { id });

const mailLinks = (request: Request, id: string): MailLinks => ({
  inbox: link(request, "email.inbox"),
  page: link(request, "email.inbox.page", { id }),
  attachment: (number: number) => link(request, "email.inbox.attachment", { id, number: String(number) }),
});

const pageResponse = (content: Html, policy: string): Response =>
  Response.html(content, { headers: { "cache-control": "no-store", "content-security-policy": policy } });

/** Responds with an attachment as a download: its media type is not trusted, so it is never displayed. */
function attachmentResponse({ attachments }: CapturedMail, number: number): Response {
  const attachment = attachments[number];
  if (attachment === undefined) throw errors.E_EMAIL_INBOX_PAGE();
  const name = encodeURIComponent(attachment.name).replaceAll(/['()*]/g, "_");
  return Response.bytes(attachment.content, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
