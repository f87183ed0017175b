import { Configuration } from "../../../config/index.ts";
import type { LimmatError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import { oneLine } from "../answer.ts";
import type { EmailService } from "../contract.ts";
import { deadline } from "../deadline.ts";
import { errors } from "../errors.ts";
import { neededToSend } from "../interception.ts";
import { isLoopback } from "../loopback.ts";
import { makeEmail, senderField, type Transport } from "../transport.ts";
import { requestBody } from "./request-body.ts";

/** What the SendGrid service can be given. */
export interface SendgridOptions {
  /** Its name among the services. Default `email`. */
  readonly name?: string;
  /** What its configuration keys begin with, for several accounts. Default `SENDGRID`. */
  readonly prefix?: string;
  /** How long the provider may take for one mail, in milliseconds. Default 30,000. */
  readonly timeout?: number;
}

const log = Log.source("limmat.email");

/**
 * An e-mail service that hands mails to SendGrid over its interface of version 3. It needs no package, and reads
 * `SENDGRID_API_KEY`, `SENDGRID_SENDER` and `SENDGRID_URL`.
 *
 * @example
 * export const email = Email.queued({ queue, email: sendgrid() });
 */
export function sendgrid(options: SendgridOptions = {}): EmailService {
  const { name, prefix = "SENDGRID", timeout = Time.seconds(30) } = options;
  const sender = senderField(`${prefix}_SENDER`);
  const settings = Configuration.group({
    key: neededToSend(Configuration.secret(`${prefix}_API_KEY`, { description: "the key of the SendGrid account" })),
    url: Configuration.string(`${prefix}_URL`, {
      description: "where SendGrid is, such as https://api.eu.sendgrid.com for accounts in the European Union",
      default: "https://api.sendgrid.com",
      validate: (text) => (isUrl(text) ? undefined : "must be an https URL without a path"),
    }),
    sender,
  });
  return makeEmail({
    name,
    implementation: "sendgrid",
    configuration: settings.fields,
    sender,
    open: () => {
      const { key = "", url } = settings.read();
      return transport(new URL(url), key, timeout);
    },
  });
}

/** A key must not travel in the clear, but to this machine. */
function isUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.pathname !== "/" || url.search !== "" || url.username !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

function transport(base: URL, key: string, timeout: number): Transport {
  const where = base.host;
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const { signal, stop } = deadline(timeout);
    try {
      const answer = await fetch(new URL(path, base), {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the key elsewhere.
        redirect: "error",
        signal,
      });
      return { isOk: answer.ok, status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (cause) {
      throw errors.E_EMAIL_UNAVAILABLE(where, oneLine(reasonOf(cause))).causedBy(cause);
    } finally {
      stop();
    }
  };
  return {
    send: async (mail) => {
      const answer = await ask("POST", "/v3/mail/send", requestBody(mail));
      if (!answer.isOk) throw failure(where, answer);
      log.debug("Sent a mail", { mail: mail.id, message: answer.headers.get("x-message-id") });
    },
    verify: async () => {
      const answer = await ask("GET", "/v3/scopes");
      if (!answer.isOk) throw failure(where, answer);
      return where;
    },
    close: () => {},
  };
}

/**
 * The error for an answer. Refused is what would be refused again: a wrong key (401, 403) is no fault of the mail, which
 * waits until it is mended, and so are too many requests (429) and faults of the provider.
 */
function failure(where: string, { status, headers, text }: Answer): LimmatError {
  const told = oneLine(`${status} ${messagesOf(text)}`);
  if ([400, 413, 422].includes(status)) return errors.E_EMAIL_REFUSED(where, told);
  const pause = headers.get("retry-after");
  return errors.E_EMAIL_UNAVAILABLE(where, pause === null ? told : `${told} (retry after ${oneLine(pause)} s)`);
}

/** What the provider says is wrong: `{ "errors": [{ "message": "…", "field": "…" }] }`. */
function messagesOf(text: string): string {
  try {
    const { errors: told } = JSON.parse(text) as { readonly errors: readonly { message: string; field?: string }[] };
    return told.map(({ message, field }) => (field ? `${message} (${field})` : message)).join("; ");
  } catch {
    return text;
  }
}

/** `fetch` says only that it failed: why stands in the cause. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message || String(inner) : String(inner);
}
