import { isError, type LimmatError } from "../../../../core/index.ts";
import { Log } from "../../../../log/index.ts";
import { Time } from "../../../../time/index.ts";
import type { EmailService } from "../../contract.ts";
import { errors } from "../../errors.ts";
import type { Transport } from "../contract.ts";
import { makeEmail } from "../make-email.ts";
import { timeoutSignal, toSingleLine } from "../network.ts";
import { connector } from "./connect.ts";
import { loadNodemailer, type NodemailerTransporter, toNodemailerMessage } from "./nodemailer.ts";
import { type SmtpServer, smtpSettings } from "./settings.ts";

/** Options of `smtp`. */
export interface SmtpOptions {
  /** Name of the service. Default `email`. */
  readonly name?: string;
  /** Prefix of the configuration keys, for several accounts. Default `SMTP`. */
  readonly prefix?: string;
  /** Maximum time to send one mail, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

const maxConnections = 5;
const log = Log.source("limmat.email");

/**
 * Makes an e-mail service that sends mails to a mail server (RFC 5321, 6409). Requires the package `nodemailer`. Reads
 * `SMTP_HOST`, `SMTP_PORT`, `SMTP_USERNAME`, `SMTP_PASSWORD`, `SMTP_SENDER`, `SMTP_SECURITY` and `SMTP_CA_FILE`.
 *
 * The connection is encrypted, or nothing is sent. Unencrypted connections are possible to this machine only. If the server
 * accepts some recipients of a mail and refuses others, the mail fails with E_EMAIL_REFUSED. The accepted recipients get it.
 *
 * @example
 * export const email = Email.queued({ queue, email: smtp() });
 */
export function smtp({ name, prefix = "SMTP", timeoutMs = Time.minutes(1) }: SmtpOptions = {}): EmailService {
  const settings = smtpSettings(prefix);
  return makeEmail({
    name,
    implementation: "smtp",
    configuration: settings.fields,
    sender: settings.sender,
    open: async () => {
      const server = settings.read();
      const nodemailer = await loadNodemailer();
      return smtpTransport(nodemailer.createTransport(transporterOptions(server, timeoutMs)), server, timeoutMs);
    },
  });
}

function smtpTransport(transporter: NodemailerTransporter, { host, port }: SmtpServer, timeoutMs: number): Transport {
  const server = `${host}:${port}`;
  return {
    send: async (mail) => {
      const timeout = timeoutSignal(timeoutMs);
      try {
        const { rejected = [] } = await transporter.sendMail(toNodemailerMessage(mail, timeout.signal));
        if (rejected.length > 0)
          throw errors.E_EMAIL_REFUSED(server, `it does not accept mails to ${rejected.join(", ")}`);
        log.debug("Sent a mail", { mail: mail.id });
      } catch (cause) {
        if (isError(cause)) throw cause;
        throw timeout.signal.aborted
          ? errors.E_EMAIL_UNAVAILABLE(server, timeout.signal.reason).causedBy(cause)
          : toEmailError(server, cause);
      } finally {
        timeout.cancel();
      }
    },
    verify: async () => {
      try {
        await transporter.verify();
      } catch (cause) {
        throw toEmailError(server, cause);
      }
      return server;
    },
    close: () => transporter.close(),
  };
}

function transporterOptions({ host, port, security, login, ca }: SmtpServer, timeoutMs: number): object {
  const connectTimeoutMs = Math.min(timeoutMs, Time.seconds(10));
  return {
    pool: true,
    getSocket: connector(host, port, connectTimeoutMs),
    maxConnections,
    // A connection lost after the end of a mail may have delivered it: the caller decides whether to send it again.
    maxRequeues: 0,
    idleTimeout: Time.seconds(30),
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(login === undefined ? {} : { auth: login }),
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    greetingTimeout: connectTimeoutMs,
    socketTimeout: timeoutMs,
  };
}

/** An error of `nodemailer`. */
interface NodemailerError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/**
 * Converts an error of `nodemailer`. Only a permanent failure (5yz, RFC 5321 §4.2.1) caused by the mail itself is a
 * refusal. A wrong password or certificate is not: the mail can be sent again once the settings are corrected.
 */
function toEmailError(server: string, cause: unknown): LimmatError {
  const { code, responseCode, message } = cause as NodemailerError;
  const isCausedByMail = code === "EENVELOPE" || code === "EMESSAGE";
  // 503 means a bad sequence of commands: a new connection may succeed.
  const isPermanent = responseCode === undefined || (responseCode >= 500 && responseCode !== 503);
  if (isCausedByMail && isPermanent) return errors.E_EMAIL_REFUSED(server, toSingleLine(message)).causedBy(cause);
  return errors.E_EMAIL_UNAVAILABLE(server, toSingleLine(message)).causedBy(cause);
}
