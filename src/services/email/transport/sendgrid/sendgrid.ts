import { Configuration, ConfigurationInternals } from "../../../../config/index.ts";
import { isError, type LimmatError } from "../../../../core/index.ts";
import { Log } from "../../../../log/index.ts";
import { Time } from "../../../../time/index.ts";
import type { EmailService, Mailbox } from "../../contract.ts";
import { makeEmail, requiredToSend, senderField } from "../make-email.ts";
import { errors } from "../../errors.ts";
import type { OutgoingMail, Transport } from "../contract.ts";
import { toSingleLine, withinTime } from "../network.ts";

/** Options of `sendgrid`. */
export interface SendgridOptions {
  /** Name of the service. Default `email`. */
  readonly name?: string;
  /** Prefix of the configuration keys, for several accounts. Default `SENDGRID`. */
  readonly prefix?: string;
  /** Maximum time to send one mail, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

const log = Log.source("limmat.email");

/**
 * Makes an e-mail service that sends mails over the SendGrid API, version 3. Requires no package. Reads `SENDGRID_API_KEY`,
 * `SENDGRID_SENDER` and `SENDGRID_URL`.
 *
 * @example
 * export const email = Email.queued({ queue, email: sendgrid() });
 */
export function sendgrid(options: SendgridOptions = {}): EmailService {
  const { name, prefix = "SENDGRID", timeoutMs = Time.seconds(30) } = options;
  const sender = senderField(`${prefix}_SENDER`);
  const settings = Configuration.group({
    apiKey: requiredToSend(
      Configuration.secret(`${prefix}_API_KEY`, { description: "API key of the SendGrid account" }),
    ),
    url: Configuration.string(`${prefix}_URL`, {
      description: "URL of the API, such as https://api.eu.sendgrid.com for accounts in the European Union",
      default: "https://api.sendgrid.com",
      validate: (text) => (isApiUrl(text) ? undefined : "must be an https URL without a path"),
    }),
    sender,
  });
  return makeEmail({
    name,
    implementation: "sendgrid",
    configuration: settings.fields,
    sender,
    open: () => {
      const { apiKey, url } = settings.read();
      return sendgridTransport(new URL(url), apiKey?.reveal() ?? "", timeoutMs);
    },
  });
}

/** Returns true if a URL is valid. The API key must not be sent unencrypted, except to this machine. */
function isApiUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.pathname !== "/" || url.search !== "" || url.username !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && ConfigurationInternals.isLoopback(url.hostname));
}

function sendgridTransport(baseUrl: URL, apiKey: string, timeoutMs: number): Transport {
  const server = baseUrl.host;
  const exchange = async (signal: AbortSignal, method: string, path: string, body?: object): Promise<Headers> => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect could send the API key to another server.
      redirect: "error",
      signal,
    });
    const text = await response.text();
    if (!response.ok) throw toEmailError(server, response, text);
    return response.headers;
  };
  /** Calls the API, and returns the headers of the response. */
  const callApi = async (...request: readonly [method: string, path: string, body?: object]): Promise<Headers> => {
    try {
      return await withinTime(timeoutMs, (signal) => exchange(signal, ...request));
    } catch (cause) {
      if (isError(cause)) throw cause;
      throw errors.E_EMAIL_UNAVAILABLE(server, toSingleLine(describeFetchError(cause))).causedBy(cause);
    }
  };
  return {
    send: async (mail) => {
      const headers = await callApi("POST", "/v3/mail/send", requestBody(mail));
      log.debug("Sent a mail", { mail: mail.id, message: headers.get("x-message-id") });
    },
    verify: async () => {
      await callApi("GET", "/v3/scopes");
      return server;
    },
    close: () => {},
  };
}

/**
 * Converts an error response. Only an error caused by the mail itself is a refusal. After a wrong API key (401, 403), too
 * many requests (429) or a failure of the provider, the mail can be sent again.
 */
function toEmailError(server: string, { status, headers }: globalThis.Response, text: string): LimmatError {
  const reply = toSingleLine(`${status} ${parseErrorMessages(text)}`);
  if ([400, 413, 422].includes(status)) return errors.E_EMAIL_REFUSED(server, reply);
  const retryAfter = headers.get("retry-after");
  const delay = retryAfter === null ? "" : ` (retry after ${toSingleLine(retryAfter)} s)`;
  return errors.E_EMAIL_UNAVAILABLE(server, `${reply}${delay}`);
}

/** Returns the messages of an error response: `{ "errors": [{ "message": "…", "field": "…" }] }`. */
function parseErrorMessages(text: string): string {
  try {
    const { errors: details } = JSON.parse(text) as { readonly errors: readonly { message: string; field?: string }[] };
    return details.map(({ message, field }) => (field ? `${message} (${field})` : message)).join("; ");
  } catch {
    return text;
  }
}

/** Returns the message of the cause: the error of `fetch` itself only says that it failed. */
function describeFetchError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || String(cause) : String(cause);
}

/** Returns the request body for a mail (API version 3, `POST /v3/mail/send`). */
function requestBody(mail: OutgoingMail): object {
  const { sender, recipients, cc, bcc, replyTo, subject, text, html, attachments, headers, tags } = mail;
  return {
    personalizations: [
      {
        to: recipients.map(toApiAddress),
        ...(cc.length > 0 ? { cc: cc.map(toApiAddress) } : {}),
        ...(bcc.length > 0 ? { bcc: bcc.map(toApiAddress) } : {}),
      },
    ],
    from: toApiAddress(sender),
    ...(replyTo === undefined ? {} : { reply_to: toApiAddress(replyTo) }),
    subject,
    content: [
      // The API requires plain text first, and refuses an empty part.
      { type: "text/plain", value: text === "" ? " " : text },
      ...(html === undefined ? [] : [{ type: "text/html", value: html }]),
    ],
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ name, type, content, cid }) => ({
            filename: name,
            // The API refuses a semicolon, so the parameters are removed.
            type: type.split(";", 1)[0],
            content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64"),
            ...(cid === undefined ? { disposition: "attachment" } : { disposition: "inline", content_id: cid }),
          })),
        }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(tags.length === 0 ? {} : { categories: tags }),
  };
}

const toApiAddress = ({ name, address }: Mailbox): object => ({
  email: address,
  ...(name === undefined ? {} : { name }),
});
