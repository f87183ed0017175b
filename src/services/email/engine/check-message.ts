import { addressKey } from "../../../email-address/index.ts";
import { isHtml } from "../../../html/index.ts";
import { Random } from "../../../random/index.ts";
import type { EmailAddress, EmailMessage, Mail, Mailbox } from "../contract.ts";
import { errors } from "../errors.ts";
import { readAttachments } from "./attachments.ts";
import { findLineProblem, parseMailbox, toHeaders } from "./headers.ts";

/** Maximum number of recipients. Servers must accept at least 100 (RFC 5321 §4.5.3.1.8). */
const maxRecipients = 100;
const maxSubjectLength = 998;
const maxBodyLength = 500_000;

/**
 * Validates a message and returns its mail. Every implementation starts here, and nowhere else is decided what may be sent:
 * the result is safe to send unchanged.
 *
 * @throws E_EMAIL_ADDRESS, E_EMAIL_MESSAGE, E_EMAIL_ATTACHMENT
 */
export async function checkMessage(message: EmailMessage): Promise<Mail> {
  const addressKeys = new Set<string>();
  const recipients = toMailboxes("recipient", message.recipient, addressKeys);
  if (recipients.length === 0) throw errors.E_EMAIL_MESSAGE("recipient", "is missing");
  const cc = toMailboxes("cc", message.cc, addressKeys);
  const bcc = toMailboxes("bcc", message.bcc, addressKeys);
  if (addressKeys.size > maxRecipients) {
    throw errors.E_EMAIL_MESSAGE("list of recipients", `is longer than ${maxRecipients}`);
  }
  return {
    id: Random.uuid(),
    sender: message.sender === undefined ? undefined : parseMailbox("sender", message.sender),
    recipients,
    cc,
    bcc,
    replyTo: message.replyTo === undefined ? undefined : parseMailbox("reply address", message.replyTo),
    subject: checkSubject(message.subject),
    ...(await checkBodies(message)),
    headers: toHeaders(message),
    tags: checkTags(message.tags ?? []),
    attachments: await readAttachments(message.attachments ?? []),
  };
}

/** Validates several messages, one after the other. Throws like `checkMessage`. */
export async function checkMessages(messages: Iterable<EmailMessage>): Promise<readonly Mail[]> {
  const mails: Mail[] = [];
  for (const message of messages) mails.push(await checkMessage(message));
  return mails;
}

/** Validates a list of addresses. An address in several lists stays only in the first, so it gets one mail. */
function toMailboxes(
  field: string,
  value: EmailAddress | readonly EmailAddress[] = [],
  addressKeys: Set<string>,
): readonly Mailbox[] {
  const addresses = (Array.isArray(value) ? value : [value]) as readonly EmailAddress[];
  if (addresses.length > maxRecipients) throw errors.E_EMAIL_MESSAGE(field, `is longer than ${maxRecipients}`);
  return addresses
    .map((address) => parseMailbox(field, address))
    .filter(({ address }) => {
      const key = addressKey(address);
      return !addressKeys.has(key) && addressKeys.add(key);
    });
}

function checkSubject(subject: string): string {
  const problem = typeof subject === "string" ? findLineProblem(subject, maxSubjectLength) : "is missing";
  if (problem !== undefined) throw errors.E_EMAIL_MESSAGE("subject", problem);
  return subject;
}

async function checkBodies({ text, html }: EmailMessage): Promise<Pick<Mail, "text" | "html">> {
  if (html !== undefined && !isHtml(html)) {
    throw errors.E_EMAIL_MESSAGE("html", "was not created by html of limmat/html");
  }
  const htmlBody = html === undefined ? undefined : checkBody("html", String(html));
  if (text !== undefined) return { text: checkBody("text", text), html: htmlBody };
  if (htmlBody === undefined) throw errors.E_EMAIL_MESSAGE("content", "is missing: give text or html");
  // Its names of characters take 40 kB.
  const { htmlToText } = await import("./plain-text.ts");
  return { text: htmlToText(htmlBody), html: htmlBody };
}

function checkBody(field: string, body: string): string {
  if (typeof body !== "string") throw errors.E_EMAIL_MESSAGE(field, "is not text");
  if (body.length > maxBodyLength) throw errors.E_EMAIL_MESSAGE(field, "is longer than 500,000 characters");
  return body.replaceAll("\0", "\uFFFD").toWellFormed();
}

function checkTags(tags: readonly string[]): readonly string[] {
  if (tags.length > 10) throw errors.E_EMAIL_MESSAGE("list of tags", "is longer than 10");
  for (const tag of tags) {
    if (!/^[\w.:-]{1,100}$/.test(tag)) {
      throw errors.E_EMAIL_MESSAGE("tag", "has characters other than letters, digits, dots, colons and hyphens");
    }
  }
  return [...new Set(tags)];
}
