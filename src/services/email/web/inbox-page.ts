import { hash } from "node:crypto";
import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import type { CapturedMail, Mailbox } from "../contract.ts";
import { formatMailbox } from "../engine/mailbox.ts";

/** Styles of the inbox, in a light and a dark theme. */
const inboxStyle = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6474;--paper:#fbfaf7;--card:#fff;--line:#1d243322;
--accent:#3b5bdb}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a0a8b8;--paper:#14161c;--card:#1c1f28;--line:#ffffff22;
--accent:#91a7ff}}
*{box-sizing:border-box}body{margin:0;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:auto}h1{margin:.25rem 0 1rem;font-size:clamp(1.35rem,4vw,1.75rem);line-height:1.25;
overflow-wrap:anywhere;text-wrap:balance}h2{margin:2rem 0 .5rem;font-size:1.0625rem}
a{color:var(--accent)}a:focus-visible,summary:focus-visible,iframe:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
p{margin:0 0 1rem}.soft{color:var(--soft)}.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem}
ol.mails{margin:0;padding:0;list-style:none;overflow:hidden}ol.mails li+li{border-top:1px solid var(--line)}
ol.mails a{display:grid;grid-template-columns:1fr auto;gap:0 1rem;padding:.75rem 1rem;color:inherit;text-decoration:none}
ol.mails a:hover{background:color-mix(in srgb,var(--accent) 8%,transparent)}ol.mails a:focus-visible{outline-offset:-3px}
ol.mails .subject{font-weight:600;overflow-wrap:anywhere}ol.mails .people{grid-column:1/-1;color:var(--soft);overflow-wrap:anywhere}
formatTime{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0;padding:.75rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
iframe{display:block;width:100%;height:32rem;border:0;border-radius:.5rem;background:#fff;resize:vertical}
pre{margin:0;padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.875rem/1.6 ui-monospace,monospace}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd+dt{margin-top:.5rem}ol.mails a{grid-template-columns:1fr}}`;

/** Links on the page of a mail. */
export interface MailLinks {
  readonly inbox: string;
  readonly page: string;
  readonly attachment: (number: number) => string;
}

/** Content-Security-Policy of the inbox and of the page of a mail. */
export const pagePolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", inboxStyle, "base64")}'`,
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const styleElement = unsafeHtml(`<style>${inboxStyle}</style>`);

const formatMailboxes = (mailboxes: readonly Mailbox[]): string => mailboxes.map(formatMailbox).join(", ");

/** Formats a time in UTC as `2030-01-31 12:00`, with the full time in the `datetime` attribute. */
const formatTime = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace("T", " ")}</time>`;

const pageLayout = (title: string, content: Html): Html =>
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

/** Returns the page with the list of mails, newest first. */
export function inboxPage(mails: readonly CapturedMail[], link: (id: string) => string): Html {
  const list = html`<ol class="mails card">
    ${mails.map(
      (mail) =>
        html`<li>
          <a href="${link(mail.id)}">
            <span class="subject">${mail.subject || "(no subject)"}</span> ${formatTime(mail.captured_at)}
            <span class="people">to ${formatMailboxes([...mail.recipients, ...mail.cc, ...mail.bcc])}</span>
          </a>
        </li>`,
    )}
  </ol>`;
  return pageLayout(
    "Inbox",
    html`<h1>Inbox</h1>
      <p class="soft">
        ${
          mails.length === 0
            ? "No mails yet. Mails that the application sends here are captured and appear on this page."
            : `${mails.length === 1 ? "One mail was" : `${mails.length} mails were`} captured instead of sent. Times are in UTC.`
        }
      </p>
      ${mails.length === 0 ? "" : list}`,
  );
}

/** Turns URLs in a text into links. The split alternates between text and URLs. */
const linkUrls = (text: string): readonly (Html | string)[] =>
  text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}" rel="noreferrer">${part}</a>`));

/** Returns the page of one mail: headers, HTML, text and attachments. */
export function mailPage(mail: CapturedMail, links: MailLinks): Html {
  const rows: readonly (readonly [string, string])[] = [
    ["From", mail.sender === undefined ? "(the configured sender, which is not set)" : formatMailbox(mail.sender)],
    ["To", formatMailboxes(mail.recipients)],
    ["Cc", formatMailboxes(mail.cc)],
    ["Bcc", formatMailboxes(mail.bcc)],
    ["Reply to", mail.replyTo === undefined ? "" : formatMailbox(mail.replyTo)],
    ["Tags", mail.tags.join(", ")],
    ...mail.headers,
  ];
  const frame = html`<h2>HTML</h2>
    <iframe
      class="card"
      title="HTML of the mail"
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
  return pageLayout(
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
        <dt>Captured at</dt>
        <dd>${formatTime(mail.captured_at)} UTC</dd>
      </dl>
      ${mail.html === undefined ? "" : frame}
      <h2>Text</h2>
      <pre class="card">${linkUrls(mail.text)}</pre>
      ${mail.attachments.length === 0 ? "" : attachments}`,
  );
}

/** Returns the HTML of a mail with attached images inlined. Links open in new windows. */
export function framedPage(mail: CapturedMail): Html {
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
  return unsafeHtml(head.test(page) ? page.replace(head, (tag) => tag + base) : `<!doctype html>${base}${page}`);
}
