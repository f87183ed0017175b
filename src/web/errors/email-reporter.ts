import { isError } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { ErrorReport, ErrorReporter } from "../middleware/error.ts";

/** A mail about an error. */
export interface ErrorEmail {
  readonly sender: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
}

/** Who gets mails about errors, and how they are sent. */
export interface EmailReporterOptions {
  readonly sender: string;
  readonly recipient: string;
  /** Sends a mail: that of an e-mail service, or any other. */
  readonly send: (email: ErrorEmail) => Promise<unknown>;
  /** Milliseconds in which at most one mail is sent about errors of one kind. Default 10 minutes. */
  readonly interval?: number;
}

const mostKinds = 100;

/**
 * Makes a reporter that sends mails about errors.
 *
 * Errors of one kind, by name and place, share a mail per interval, so that a fault that hits every request does not
 * fill a mailbox; the next mail says how many there were. A mail holds the error with its stack, and of the request
 * the identifier, method and path.
 *
 * @example
 * Web.Middleware.error({ reporters: [Web.emailReporter({ sender, recipient, send: (mail) => email.send(mail) })] });
 */
export function emailReporter(options: EmailReporterOptions): ErrorReporter {
  const { sender, recipient, send, interval = Time.minutes(10) } = options;
  const kinds = new Map<string, { until: number; untold: number }>();

  return async (report) => {
    const now = Time.monotonic();
    const kind = kindOf(report.error);
    const known = kinds.get(kind);
    if (known !== undefined && known.until > now) {
      known.untold += 1;
      return;
    }
    kinds.delete(kind);
    if (kinds.size >= mostKinds) kinds.delete(kinds.keys().next().value ?? "");
    kinds.set(kind, { until: now + interval, untold: 0 });
    await send({ sender, recipient, subject: subjectOf(report), text: textOf(report, known?.untold ?? 0) });
  };
}

/** The name of an error and the innermost call of its stack: where, rather than about what. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = error.stack?.split("\n").find((line) => /^\s+at /.test(line));
  return `${isError(error) ? error.code : error.name}${place ?? error.message}`;
}

// A subject is one line: whoever wrote the message must not write headers of the mail.
function subjectOf({ error }: ErrorReport): string {
  const message =
    error instanceof Error ? `${error.name}: ${error.message}` : "something other than an error was thrown";
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  return `[error] ${message.replaceAll(/[\x00-\x1f\x7f\u2028\u2029]+/g, " ").slice(0, 120)}`.toWellFormed();
}

function textOf({ error, requestId, method, path }: ErrorReport, untold: number): string {
  return [
    `${method} ${path}`,
    `Request ${requestId}`,
    ...(untold > 0 ? [`${untold} more of this kind since the last mail.`] : []),
    "",
    ...stacksOf(error),
  ].join("\n");
}

function stacksOf(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? [stack] : [stack, "Caused by:", ...stacksOf(error.cause, depth + 1)];
}
