import { addressKey } from "../../email-address/index.ts";
import { isHtml } from "../../html/index.ts";
import { Random } from "../../random/index.ts";
import { readAttachments } from "./attachment.ts";
import type { EmailAddress, EmailMessage, Mail, Mailbox } from "./contract.ts";
import { lineProblem } from "./control.ts";
import { errors } from "./errors.ts";
import { readHeaders } from "./header.ts";
import { readMailbox } from "./mailbox.ts";
import { plainText } from "./plain-text.ts";

/** RFC 5321 §4.5.3.1.8: a server must take at least 100 recipients, so no more are asked for. */
const mostRecipients = 100;
const longestSubject = 998;
const longestBody = 500_000;

/**
 * Checks a message and gives the mail that it stands for. The one place where it is decided what may be sent: every
 * implementation begins here, and what comes out of it can be sent as it is.
 *
 * @throws E_EMAIL_ADDRESS, E_EMAIL_MESSAGE, E_EMAIL_ATTACHMENT
 */
export async function check(message: EmailMessage): Promise<Mail> {
  const seen = new Set<string>();
  const recipients = readList("recipient", message.recipient, seen);
  if (recipients.length === 0) throw errors.E_EMAIL_MESSAGE("recipient", "is missing");
  const cc = readList("cc", message.cc, seen);
  const bcc = readList("bcc", message.bcc, seen);
  if (seen.size > mostRecipients)
    throw errors.E_EMAIL_MESSAGE("list of recipients", `is longer than ${mostRecipients}`);
  return {
    id: Random.uuid(),
    sender: message.sender === undefined ? undefined : readMailbox("sender", message.sender),
    recipients,
    cc,
    bcc,
    replyTo: message.replyTo === undefined ? undefined : readMailbox("reply address", message.replyTo),
    subject: line("subject", message.subject, longestSubject),
    ...readBody(message),
    headers: readHeaders(message),
    tags: readTags(message.tags ?? []),
    attachments: await readAttachments(message.attachments ?? []),
  };
}

/** An address that stands in several lists gets one mail, by the first of them. */
function readList(
  field: string,
  given: EmailAddress | readonly EmailAddress[] = [],
  seen: Set<string>,
): readonly Mailbox[] {
  const list = (Array.isArray(given) ? given : [given]) as readonly EmailAddress[];
  if (list.length > mostRecipients) throw errors.E_EMAIL_MESSAGE(field, `is longer than ${mostRecipients}`);
  return list
    .map((entry) => readMailbox(field, entry))
    .filter(({ address }) => {
      const key = addressKey(address);
      return !seen.has(key) && seen.add(key);
    });
}

function readBody({ text, html }: EmailMessage): Pick<Mail, "text" | "html"> {
  if (html !== undefined && !isHtml(html)) {
    throw errors.E_EMAIL_MESSAGE("html", "was not made by html of limmat/html");
  }
  const page = html === undefined ? undefined : body("html", String(html));
  if (text !== undefined) return { text: body("text", text), html: page };
  if (page === undefined) throw errors.E_EMAIL_MESSAGE("content", "is missing: give text or html");
  return { text: plainText(page), html: page };
}

function body(field: string, text: string): string {
  if (typeof text !== "string") throw errors.E_EMAIL_MESSAGE(field, "is no text");
  if (text.length > longestBody) throw errors.E_EMAIL_MESSAGE(field, "is longer than 500,000 characters");
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

function readTags(tags: readonly string[]): readonly string[] {
  if (tags.length > 10) throw errors.E_EMAIL_MESSAGE("list of tags", "is longer than 10");
  for (const tag of tags) {
    if (!/^[\w.:-]{1,100}$/.test(tag)) {
      throw errors.E_EMAIL_MESSAGE("tag", "has other signs than letters, digits, dots, colons and hyphens");
    }
  }
  return [...new Set(tags)];
}

function line(field: string, text: string, longest: number): string {
  const problem = typeof text === "string" ? lineProblem(text, longest) : "is missing";
  if (problem !== undefined) throw errors.E_EMAIL_MESSAGE(field, problem);
  return text;
}
