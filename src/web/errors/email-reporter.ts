import { BoundedMap, isError } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { ErrorReport, ErrorReporter } from "../middleware/error.ts";

/** Email about an error. */
export interface ErrorEmail {
  readonly sender: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
}

/** Options of `emailReporter`. */
export interface EmailReporterOptions {
  readonly sender: string;
  readonly recipient: string;
  /** Sends an email, for example `send` of an email service. */
  readonly send: (email: ErrorEmail) => Promise<unknown>;
  /** Minimum time between two emails about the same kind of error, in milliseconds. Default 10 minutes. */
  readonly intervalMs?: number;
}

const maxKinds = 100;

/**
 * Creates a reporter that sends emails about errors.
 *
 * Errors with the same name and innermost stack frame share one email per interval, so that a fault in every request
 * does not fill a mailbox. The next email gives the number of suppressed ones. An email holds the error with its stack,
 * and the identifier, method and path of the request.
 *
 * @example
 * Web.Middleware.error({ reporters: [Web.emailReporter({ sender, recipient, send: (mail) => email.send(mail) })] });
 */
export function emailReporter(options: EmailReporterOptions): ErrorReporter {
  const { sender, recipient, send, intervalMs = Time.minutes(10) } = options;
  const kinds = new BoundedMap<string, { untilMs: number; suppressedCount: number }>(maxKinds);

  return async (report) => {
    const nowMs = Time.monotonic();
    const kind = errorKindOf(report.error);
    const recentKind = kinds.get(kind);
    if (recentKind !== undefined && recentKind.untilMs > nowMs) {
      recentKind.suppressedCount += 1;
      return;
    }
    kinds.set(kind, { untilMs: nowMs + intervalMs, suppressedCount: 0 });
    const text = emailText(report, recentKind?.suppressedCount ?? 0);
    await send({ sender, recipient, subject: emailSubject(report), text });
  };
}

/** Returns the name of an error with its innermost stack frame, which identify its kind. */
function errorKindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const innermostCall = error.stack?.split("\n").find((line) => /^\s+at /.test(line));
  return `${isError(error) ? error.code : error.name}${innermostCall ?? error.message}`;
}

// One line: a message with line breaks must not inject email headers.
function emailSubject({ error }: ErrorReport): string {
  const message =
    error instanceof Error ? `${error.name}: ${error.message}` : "something other than an error was thrown";
  // oxlint-disable-next-line eslint/no-control-regex -- matches control characters on purpose
  return `[error] ${message.replaceAll(/[\x00-\x1f\x7f\u2028\u2029]+/g, " ").slice(0, 120)}`.toWellFormed();
}

function emailText({ error, requestId, method, path }: ErrorReport, suppressedCount: number): string {
  return [
    `${method} ${path}`,
    `Request ${requestId}`,
    ...(suppressedCount > 0 ? [`${suppressedCount} more of this kind since the last email.`] : []),
    "",
    ...stacksOf(error),
  ].join("\n");
}

function stacksOf(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? [stack] : [stack, "Caused by:", ...stacksOf(error.cause, depth + 1)];
}
