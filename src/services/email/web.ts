import { Configuration } from "../../config/index.ts";
import type { Html } from "../../html/index.ts";
import { choose, get, link, type Middleware, type Request, Response, type Router } from "../../web/index.ts";
import type { EmailService, KeptMail } from "./contract.ts";
import { errors } from "./errors.ts";
import type { MailLinks } from "./inbox-page.ts";

/** Whose mails the pages show. */
export interface InboxOptions {
  readonly email: EmailService;
}

/** A mail is shown in an origin of its own, without scripts and forms; its links open beside the inbox. */
const mailPolicy = [
  "sandbox allow-popups allow-popups-to-escape-sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: https:",
  "font-src data: https:",
  "frame-ancestors 'self'",
].join("; ");

/**
 * The pages of an inbox: a list of the mails that were kept instead of sent, and each as a person would see it. They are
 * there only when `FRAMEWORK_ENV` is set to `development` or `test`, and 404 otherwise.
 *
 * @example
 * export const router = Web.choose([site, Web.choose([Email.Web.inbox({ email })], { scope: "/mails" })]);
 */
export function inbox({ email }: InboxOptions): Router {
  const find = (id: string): KeptMail => {
    const mail = email.inbox.find(id);
    if (mail === undefined) throw errors.E_EMAIL_INBOX_PAGE();
    return mail;
  };
  // Their pages are loaded by who looks at them: most starts never need them (docs/decisions/008).
  return choose(
    [
      get(
        "/",
        async (request) => {
          const { inboxPage, pagePolicy } = await import("./inbox-page.ts");
          return page(
            inboxPage(email.inbox.all(), (id) => mailLink(request, id)),
            pagePolicy,
          );
        },
        { name: "email.inbox" },
      ),
      get(
        "/:id",
        async (request) => {
          const { mailPage, pagePolicy } = await import("./inbox-page.ts");
          return page(mailPage(find(request.params.id), linksOf(request, request.params.id)), pagePolicy);
        },
        { name: "email.inbox.mail" },
      ),
      get(
        "/:id/page",
        async (request) => {
          const { framedPage } = await import("./inbox-page.ts");
          return page(framedPage(find(request.params.id)), mailPolicy);
        },
        { name: "email.inbox.page" },
      ),
      get("/:id/attachments/:number", (request) => file(find(request.params.id), Number(request.params.number)), {
        name: "email.inbox.attachment",
      }),
    ],
    { middlewares: [outsideProduction] },
  );
}

/** A server on which somebody forgot to say what it is shows no mails. */
const outsideProduction: Middleware = (handler) => (request) => {
  if (Configuration.isEnvironmentSet() && Configuration.environment() !== "production") return handler(request);
  throw errors.E_EMAIL_INBOX_PAGE();
};

const mailLink = (request: Request, id: string): string => link(request, "email.inbox.mail", { id });

const linksOf = (request: Request, id: string): MailLinks => ({
  inbox: link(request, "email.inbox"),
  page: link(request, "email.inbox.page", { id }),
  attachment: (number: number) => link(request, "email.inbox.attachment", { id, number: String(number) }),
});

const page = (content: Html, policy: string): Response =>
  Response.html(content, { headers: { "cache-control": "no-store", "content-security-policy": policy } });

/** Saved, never shown: its type is what somebody said. */
function file({ attachments }: KeptMail, number: number): Response {
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
