import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import { isError } from "../../../core/index.ts";
import type { EmailService } from "../contract.ts";
import { deadline } from "../deadline.ts";
import { errors } from "../errors.ts";
import { makeEmail, type SentMail, type Transport } from "../transport.ts";
import { failure } from "./failure.ts";
import { type LibraryMail, loadLibrary, type Transporter } from "./library.ts";
import { type Server, settings } from "./settings.ts";
import { safeSubject } from "./subject.ts";

/** What the SMTP service can be given. */
export interface SmtpOptions {
  /** Its name among the services. Default `email`. */
  readonly name?: string;
  /** What its configuration keys begin with, for several accounts. Default `SMTP`. */
  readonly prefix?: string;
  /** How long a server may take for one mail, in milliseconds. Default 60,000. */
  readonly timeout?: number;
}

const connections = 5;
const log = Log.source("limmat.email");

/**
 * An e-mail service that hands mails to a mail server (RFC 5321, 6409), on the package `nodemailer`, which the application
 * installs. It reads `SMTP_HOST`, `SMTP_PORT`, `SMTP_USERNAME`, `SMTP_PASSWORD`, `SMTP_SENDER`, `SMTP_SECURITY` and `SMTP_CA_FILE`.
 *
 * The connection is encrypted, or nothing is sent; without encryption it speaks with this machine only. A mail of which a
 * server takes some recipients and refuses others fails as E_EMAIL_REFUSED: those that were taken have it.
 *
 * @example
 * export const email = Email.queued({ queue, email: smtp() });
 */
export function smtp({ name, prefix = "SMTP", timeout = Time.minutes(1) }: SmtpOptions = {}): EmailService {
  const configuration = settings(prefix);
  return makeEmail({
    name,
    implementation: "smtp",
    configuration: configuration.fields,
    sender: configuration.sender,
    open: async () => {
      const server = configuration.read();
      const library = await loadLibrary();
      return transport(library.createTransport(libraryOptions(server, timeout)), server, timeout);
    },
  });
}

function transport(transporter: Transporter, { host, port }: Server, timeout: number): Transport {
  const where = `${host}:${port}`;
  return {
    send: async (mail) => {
      const { signal, stop } = deadline(timeout);
      try {
        const { rejected = [] } = await transporter.sendMail(libraryMail(mail, signal));
        if (rejected.length > 0)
          throw errors.E_EMAIL_REFUSED(where, `it does not take mails to ${rejected.join(", ")}`);
        log.debug("Sent a mail", { mail: mail.id });
      } catch (cause) {
        if (isError(cause)) throw cause;
        throw signal.aborted ? errors.E_EMAIL_UNAVAILABLE(where, signal.reason).causedBy(cause) : failure(where, cause);
      } finally {
        stop();
      }
    },
    verify: async () => {
      try {
        await transporter.verify();
      } catch (cause) {
        throw failure(where, cause);
      }
      return where;
    },
    close: () => transporter.close(),
  };
}

function libraryOptions({ host, port, security, login, ca }: Server, timeout: number): object {
  const patience = Math.min(timeout, Time.seconds(10));
  return {
    pool: true,
    maxConnections: connections,
    // A connection that is lost behind the end of a mail may have delivered it: whoever sends decides whether to try again.
    maxRequeues: 0,
    idleTimeout: Time.seconds(30),
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(login === undefined ? {} : { auth: login }),
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: patience,
    greetingTimeout: patience,
    dnsTimeout: patience,
    socketTimeout: timeout,
  };
}

function libraryMail(mail: SentMail, signal: AbortSignal): LibraryMail {
  const { sender, recipients, cc, bcc } = mail;
  const named = ({ name = "", address }: SentMail["sender"]): object => ({ name, address });
  return {
    // Who gets it is said here; blind copies stand nowhere else.
    envelope: { from: sender.address, to: [...recipients, ...cc, ...bcc].map(({ address }) => address) },
    from: named(sender),
    to: recipients.map(named),
    cc: cc.map(named),
    replyTo: mail.replyTo === undefined ? undefined : named(mail.replyTo),
    subject: safeSubject(mail.subject),
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments.map(({ name, type, content, cid }) => ({
      filename: name,
      contentType: type,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      ...(cid === undefined ? {} : { cid, contentDisposition: "inline" }),
    })),
    headers: [...mail.headers, ...tagsOf(mail)].map(([key, value]) => ({ key, value })),
    messageId: `<${mail.id}@${sender.address.slice(sender.address.lastIndexOf("@") + 1)}>`,
    date: Time.now(),
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  };
}

const tagsOf = ({ tags }: SentMail): readonly (readonly [string, string])[] =>
  tags.length === 0 ? [] : [["X-Tags", tags.join(", ")]];
