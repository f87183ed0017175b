import type { EmailMessage } from "../contract.ts";
import { errors } from "../errors.ts";
import { findHeaderProblem } from "./control-characters.ts";

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

/**
 * Validates the additional headers of a message.
 *
 * @throws E_EMAIL_MESSAGE
 */
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
