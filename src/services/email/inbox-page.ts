import { hash } from "node:crypto";
import { html, type Html, unsafeHtml } from "../../html/index.ts";
import { showMailbox } from "./mailbox.ts";
import type { KeptMail, Mailbox } from "./contract.ts";
import { style } from "./inbox-style.ts";

/** The addresses that the page of a mail leads to. */
export interface MailLinks {
  readonly inbox: string;
  readonly page: string;
  readonly attachment: (number: number) => string;
}

/** The Content-Security-Policy of the list and of a mail. */
export const pagePolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const styleElement = unsafeHtml(`<style>${style}</style>`);

const people = (mailboxes: readonly Mailbox[]): string => mailboxes.map(showMailbox).join(", ");

/** `2030-01-31 12:00` and for programs the whole time, in UTC. */
const time = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace("T", " ")}</time>`;

const layout = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;

/** The list of the mails, newest first. */
export function inboxPage(mails: readonly KeptMail[], link: (id: string) => string): Html {
  const list = html`<ol class="mails card">
    ${mails.map(
      (mail) =>
        html`<li>
          <a href="${link(mail.id)}">
            <span class="subject">${mail.subject || "(no subject)"}</span> ${time(mail.kept_at)}
            <span class="people">to ${people([...mail.recipients, ...mail.cc, ...mail.bcc])}</span>
          </a>
        </li>`,
    )}
  </ol>`;
  return layout(
    "Inbox",
    html`<h1>Inbox</h1>
      <p class="soft">
        ${
          mails.length === 0
            ? "No mails yet. What the application sends here is kept, and appears on this page."
            : `${mails.length === 1 ? "One mail was" : `${mails.length} mails were`} kept here instead of sent. Times are in UTC.`
        }
      </p>
      ${mails.length === 0 ? "" : list}`,
  );
}

/** A text with its web addresses as links, as mail programs show it. Every second part is one. */
const linked = (text: string): readonly (Html | string)[] =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}" rel="noreferrer">${part}</a>`));

/** One mail: who, what, as a page, as text, and what came with it. */
export function mailPage(mail: KeptMail, links: MailLinks): Html {
  const rows: readonly (readonly [string, string])[] = [
    [
      "From",
      mail.sender === undefined ? "(the sender of the configuration, which is not set)" : showMailbox(mail.sender),
    ],
    ["To", people(mail.recipients)],
    ["Cc", people(mail.cc)],
    ["Bcc", people(mail.bcc)],
    ["Reply to", mail.replyTo === undefined ? "" : showMailbox(mail.replyTo)],
    ["Tags", mail.tags.join(", ")],
    ...mail.headers,
  ];
  const frame = html`<h2>As a page</h2>
    <iframe
      class="card"
      title="The mail as a page"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      src="${links.page}"
    ></iframe>`;
  const attachments = html`<h2>Attachments</h2>
    <ul>
      ${mail.attachments.map(
        ({ name, type, content }, number) =>
          html`<li>
            <a href="${links.attachment(number)}">${name}</a>
            <span class="soft">${type}, ${content.length} bytes</span>
          </li>`,
      )}
    </ul>`;
  return layout(
    mail.subject,
    html`<p><a href="${links.inbox}">Inbox</a></p>
      <h1>${mail.subject || "(no subject)"}</h1>
      <dl class="card">
        ${rows
          .filter(([, value]) => value !== "")
          .map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        <dt>Kept at</dt>
        <dd>${time(mail.kept_at)} UTC</dd>
      </dl>
      ${mail.html === undefined ? "" : frame}
      <h2>As text</h2>
      <pre class="card">${linked(mail.text)}</pre>
      ${mail.attachments.length === 0 ? "" : attachments}`,
  );
}

/** The page of a mail as a mail program would show it: images that came with it in place, links in windows of their own. */
export function framedPage(mail: KeptMail): Html {
  const images = new Map(
    mail.attachments.map(({ cid, type, content }) => [
      cid,
      `data:${type};base64,${Buffer.from(content).toString("base64")}`,
    ]),
  );
  const page = (mail.html ?? "").replaceAll(/\bcid:([\w.@-]+)/g, (whole, cid: string) => images.get(cid) ?? whole);
  const base = '<base target="_blank">';
  const head = /<head\b[^<>]*>/i;
  // Shown in a sandbox: what the page holds is its author's affair, as in a mail program.
  return unsafeHtml(head.test(page) ? page.replace(head, (found) => found + base) : `<!doctype html>${base}${page}`);
}
