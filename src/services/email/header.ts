import type { EmailMessage } from "./contract.ts";
import { headerProblem } from "./control.ts";
import { errors } from "./errors.ts";

/** A header line of a mail. */
export type MailHeader = readonly [name: string, value: string];

/**
 * What an application may write itself. All else is written by the transport, or would lead a mail astray: `Bcc`,
 * `Content-Type`, `Received`, `DKIM-Signature`.
 */
const allowed = /^(?:X-[\w-]+|List-[\w-]+|Auto-Submitted|In-Reply-To|References|Precedence|Importance|Feedback-ID)$/i;
/** RFC 5322 §2.1.1: a line has at most 998 characters. */
const longestLine = 998;

/**
 * Reads the header lines that an application adds.
 *
 * @throws E_EMAIL_MESSAGE
 */
export function readHeaders({ headers = {}, unsubscribe }: EmailMessage): readonly MailHeader[] {
  const own = Object.entries(headers).map(([name, value]): MailHeader => {
    const field = `header ${JSON.stringify(name.slice(0, 80))}`;
    if (name.length > 76 || !allowed.test(name)) throw errors.E_EMAIL_MESSAGE(field, "is none that may be set");
    const problem = typeof value === "string" ? headerProblem(value, longestLine) : "is no text";
    if (problem !== undefined) throw errors.E_EMAIL_MESSAGE(field, problem);
    return [name, value];
  });
  return unsubscribe === undefined ? own : [...own, ...oneClick(unsubscribe)];
}

/** RFC 8058 §3.1: both lines together make the button; the page must do it on POST, without a further question. */
function oneClick(unsubscribe: string): readonly MailHeader[] {
  const url = URL.parse(unsubscribe);
  if (url?.protocol !== "https:") throw errors.E_EMAIL_MESSAGE("unsubscribe", "is no https URL");
  if (url.href.length > 900) throw errors.E_EMAIL_MESSAGE("unsubscribe", "is longer than 900 characters");
  return [
    ["List-Unsubscribe", `<${url.href}>`],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
  ];
}
