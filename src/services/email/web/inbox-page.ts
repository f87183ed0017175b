import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import * as Web from "../../../web/index.ts";
import { timestamp } from "../../../web/components/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../../web/page/index.ts";
import { Time } from "../../../time/index.ts";
import type { CapturedMail, Mailbox, MailContent } from "../contract.ts";
import { checkMessage } from "../engine/check-message.ts";
import { formatMailbox } from "../engine/headers.ts";
import { errors } from "../errors.ts";
import type { InboxOptions } from "./inbox.ts";

/** Additional rule of the inbox: the frame of an HTML mail. */
const style = pageStyle(`
iframe{display:block;width:100%;height:32rem;background:#fff;resize:vertical}`);

/** Policy of a displayed mail: an opaque origin without scripts and forms. Its links open in new windows. */
const mailPolicy = [
  "sandbox allow-popups allow-popups-to-escape-sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: https:",
  "font-src data: https:",
  "frame-ancestors 'self'",
].join("; ");

type MailRequest = Web.Request<{ readonly id: string }>;

/** Content-Security-Policy of the inbox and of the page of a mail. */
const inboxPolicy = pagePolicy(style, { "frame-src": "'self'" });

const formatMailboxes = (mailboxes: readonly Mailbox[]): string => mailboxes.map(formatMailbox).join(", ");

const mailTexts = (): LanguageInternals.ServiceTexts["email"] => LanguageInternals.frameworkTexts().services.email;

/** Writes a number in the language of the page. */
const formatNumber = (value: number): string => value.toLocaleString(LanguageInternals.frameworkLanguage());

/** Answers with the list of mails, newest first, and of the previews. */
export async function showInbox(request: Web.Request, { email, previews = [] }: InboxOptions): Promise<Web.Response> {
  const mails = email.inbox.all();
  const samples: MailContent[] = [];
  for (const preview of previews) samples.push(await preview());
  const list = html`<ol class="list card">
    ${mails.map(
      (mail) =>
        html`<li>
          <a href="${Web.link(request, "email.inbox.mail", { id: mail.id })}">
            <span class="title">${mail.subject || mailTexts().noSubject}</span> ${timestamp(mail.captured_at)}
            <span class="detail"
              >${mailTexts().to(formatMailboxes([...mail.recipients, ...mail.cc, ...mail.bcc]))}</span
            >
          </a>
        </li>`,
    )}
  </ol>`;
  const previewList = html`<h2>${mailTexts().previews}</h2>
    <ol class="list card">
      ${samples.map(
        ({ subject }, index) =>
          html`<li>
            <a href="${Web.link(request, "email.inbox.mail", { id: `preview-${index}` })}">
              <span class="title">${subject}</span>
            </a>
          </li>`,
      )}
    </ol>`;
  return inboxResponse({
    title: mailTexts().inbox,
    content: html`<h1>${mailTexts().inbox}</h1>
      <p class="meta">
        ${mails.length === 0 ? mailTexts().noMails : mailTexts().captured(formatNumber(mails.length), mails.length === 1)}
      </p>
      ${mails.length === 0 ? "" : list} ${samples.length === 0 ? "" : previewList}`,
  });
}

/** Turns URLs in a text into links. The split alternates between text and URLs. */
const linkUrls = (text: string): readonly (Html | string)[] =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}" rel="noreferrer">${part}</a>`));

/** Answers with the page of one mail: headers, HTML, text and attachments. */
export async function showMail(request: MailRequest, options: InboxOptions): Promise<Web.Response> {
  const mail = await findMail(request, options);
  const { id } = request.params;
  const rows: readonly (readonly [string, string])[] = [
    [mailTexts().sender, mail.sender === undefined ? mailTexts().noSender : formatMailbox(mail.sender)],
    [mailTexts().recipients, formatMailboxes(mail.recipients)],
    [mailTexts().cc, formatMailboxes(mail.cc)],
    [mailTexts().bcc, formatMailboxes(mail.bcc)],
    [mailTexts().replyTo, mail.replyTo === undefined ? "" : formatMailbox(mail.replyTo)],
    [mailTexts().tags, mail.tags.join(", ")],
    ...mail.headers,
  ];
  const frame = html`<h2>${mailTexts().html}</h2>
    <iframe
      class="card"
      title="${mailTexts().frame}"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      src="${Web.link(request, "email.inbox.page", { id })}"
    ></iframe>`;
  const attachments = html`<h2>${mailTexts().attachments}</h2>
    <ul>
      ${mail.attachments.map(
        ({ name, type, content }, index) =>
          html`<li>
            <a href="${Web.link(request, "email.inbox.attachment", { id, number: String(index) })}">${name}</a>
            <span class="meta">${type}, ${mailTexts().bytes(formatNumber(content.length))}</span>
          </li>`,
      )}
    </ul>`;
  return inboxResponse({
    title: mail.subject,
    content: html`<p class="back"><a href="${Web.link(request, "email.inbox")}">${mailTexts().inbox}</a></p>
      <h1>${mail.subject || mailTexts().noSubject}</h1>
      <dl class="card">
        ${rows
          .filter(([, value]) => value !== "")
          .map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        <dt>${mailTexts().capturedAt}</dt>
        <dd>${timestamp(mail.captured_at)}</dd>
      </dl>
      ${mail.html === undefined ? "" : frame}
      <h2>${mailTexts().text}</h2>
      <pre class="card">${linkUrls(mail.text)}</pre>
      ${mail.attachments.length === 0 ? "" : attachments}`,
  });
}

/** Answers with the HTML of a mail, for the frame on its page, with attached images inlined. Links open in new windows. */
export async function showMailPage(request: MailRequest, options: InboxOptions): Promise<Web.Response> {
  const mail = await findMail(request, options);
  const images = new Map(
    mail.attachments.map(({ cid, type, content }) => [
      cid,
      `data:${type};base64,${Buffer.from(content).toString("base64")}`,
    ]),
  );
  const page = (mail.html ?? "").replaceAll(/\bcid:([\w.@-]+)/g, (whole, cid: string) => images.get(cid) ?? whole);
  const base = '<base target="_blank">';
  const head = /<head\b[^<>]*>/i;
  // The sandbox contains the untrusted HTML: it is displayed unchanged, as in a mail client.
  const content = head.test(page) ? page.replace(head, (tag) => tag + base) : `<!doctype html>${base}${page}`;
  return pageResponse(unsafeHtml(content), mailPolicy);
}

/** Answers with an attachment as a download: its media type is not trusted, so it is never displayed. */
export async function sendAttachment(
  request: Web.Request<{ readonly id: string; readonly number: string }>,
  options: InboxOptions,
): Promise<Web.Response> {
  const attachment = (await findMail(request, options)).attachments[Number(request.params.number)];
  if (attachment === undefined) throw errors.E_EMAIL_INBOX_PAGE();
  const name = encodeURIComponent(attachment.name).replaceAll(/['()*]/g, "_");
  return Web.Response.bytes(attachment.content, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}

/** Returns a captured mail, or the mail of a preview as its recipient would get it. */
async function findMail(
  { params: { id } }: MailRequest,
  { email, previews = [] }: InboxOptions,
): Promise<CapturedMail> {
  const [, number] = /^preview-(\d+)$/.exec(id) ?? [];
  const preview = number === undefined ? undefined : previews[Number(number)];
  if (preview !== undefined) {
    const mail = await checkMessage({ recipient: "ada@example.com", ...(await preview()) });
    return { ...mail, captured_at: Time.now() };
  }
  const mail = email.inbox.findOpt(id);
  if (mail === undefined) throw errors.E_EMAIL_INBOX_PAGE();
  return mail;
}

const inboxResponse = (page: { readonly title: string; readonly content: Html }): Web.Response =>
  pageResponse(renderPage({ ...page, style }), inboxPolicy);

const pageResponse = (content: Html, policy: string): Web.Response =>
  Web.Response.html(content, { headers: { "cache-control": "no-store", "content-security-policy": policy } });
