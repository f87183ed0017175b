import { error, ok, type Result } from "../../../core/index.ts";
import { normalizeAddress } from "../../../email-address/index.ts";
import type { EmailAddress, EmailMessage, Mailbox } from "../contract.ts";
import { errors } from "../errors.ts";

/** A header of a mail. */
export type MailHeader = readonly [name: string, value: string];

/**
 * Headers that an application may set. The transport sets all others. Headers such as `Bcc`, `Content-Type`, `Received` or
 * `DKIM-Signature` from elsewhere could misdirect or forge a mail.
 */
const allowedNames =
  /^(?:X-[\w-]+|List-[\w-]+|Auto-Submitted|In-Reply-To|References|Precedence|Importance|Feedback-ID)$/i;
/** Maximum length of a header line (RFC 5322 §2.1.1). */
const maxLineLength = 998;

/** Validates the additional headers of a message. @throws E_EMAIL_MESSAGE */
export function toHeaders({ headers = {}, unsubscribe }: EmailMessage): readonly MailHeader[] {
  const customHeaders = Object.entries(headers).map(([name, value]): MailHeader => {
    const field = `header ${JSON.stringify(name.slice(0, 80))}`;
    if (name.length > 76 || !allowedNames.test(name)) throw errors.E_EMAIL_MESSAGE(field, "is not an allowed header");
    const problem = typeof value === "string" ? findHeaderProblem(value, maxLineLength) : "is not text";
    if (problem !== undefined) throw errors.E_EMAIL_MESSAGE(field, problem);
    return [name, value];
  });
  return unsubscribe === undefined ? customHeaders : [...customHeaders, ...oneClickHeaders(unsubscribe)];
}

/** Returns the headers of one-click unsubscription (RFC 8058 §3.1). The URL must act on POST without confirmation. */
function oneClickHeaders(unsubscribe: string): readonly MailHeader[] {
  const url = URL.parse(unsubscribe);
  if (url?.protocol !== "https:") throw errors.E_EMAIL_MESSAGE("unsubscribe", "is not an https URL");
  if (url.href.length > 900) throw errors.E_EMAIL_MESSAGE("unsubscribe", "is longer than 900 characters");
  return [
    ["List-Unsubscribe", `<${url.href}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
  ];
}

/**
 * Returns true if a text has a control character or line separator: CR, LF, NUL, U+2028 and others. These could end the
 * header line and start another one (header injection, CWE-93).
 */
export function hasControlCharacter(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}

/** Returns the problem of a text for one header line, worded to follow the field's name, or `undefined`. */
export function findLineProblem(text: string, maxLength: number): string | undefined {
  if (hasControlCharacter(text)) return "contains a line break or another control character";
  if (!text.isWellFormed()) return "contains a lone surrogate";
  return text.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
}

/** Like `findLineProblem`, and refuses encoded words (RFC 2047 §2), which mail clients would decode. */
export function findHeaderProblem(text: string, maxLength: number): string | undefined {
  const hasEncodedWord = /=\?[^?\s]+\?[bq]\?[^?]*\?=/i.test(text);
  return findLineProblem(text, maxLength) ?? (hasEncodedWord ? "contains an encoded word" : undefined);
}

const maxNameLength = 200;

/** Validates one address of a message. @throws E_EMAIL_ADDRESS */
export function parseMailbox(field: string, value: EmailAddress): Mailbox {
  const { name, address } = typeof value === "string" ? { address: value, name: undefined } : value;
  if (typeof address !== "string") throw errors.E_EMAIL_ADDRESS(field, address, "is not text");
  const normalized = normalizeAddress(address);
  if (!normalized.ok) throw errors.E_EMAIL_ADDRESS(field, address, normalized.error);
  if (name === undefined || name === "") return { address: normalized.value };
  const problem = typeof name === "string" ? findHeaderProblem(name, maxNameLength) : "is not text";
  if (problem !== undefined) throw errors.E_EMAIL_ADDRESS(field, name, problem);
  return { name, address: normalized.value };
}

/** Parses a configured sender: `todo@example.com` or `To-dos <todo@example.com>`. */
export function parseSender(text: string): Result<Mailbox> {
  const { name = "", address = text } = /^(?<name>[^<>]*?)\s*<(?<address>[^<>]*)>$/.exec(text)?.groups ?? {};
  const normalized = normalizeAddress(address);
  const problem = normalized.ok ? findHeaderProblem(name, maxNameLength) : normalized.error;
  if (problem !== undefined || !normalized.ok) return error(problem ?? "is not an address");
  return ok(name === "" ? { address: normalized.value } : { name, address: normalized.value });
}

/** Formats a mailbox for display: `Ada Lovelace <ada@example.com>`. Not safe for headers. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `${name} <${address}>`;
}
