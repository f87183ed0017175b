import { readFileSync } from "node:fs";
import { Configuration, ConfigurationInternals } from "../../../../config/index.ts";
import { isError, type LimmatError } from "../../../../core/index.ts";
import { Log } from "../../../../log/index.ts";
import { Time } from "../../../../time/index.ts";
import type { EmailService } from "../../contract.ts";
import { errors } from "../../errors.ts";
import type { OutgoingMail, Transport } from "../contract.ts";
import { makeEmail, requiredToSend, senderField } from "../make-email.ts";
import { toSingleLine, withinTime } from "../network.ts";
import { connector, loadNodemailer, type NodemailerTransporter, toNodemailerMessage } from "./nodemailer.ts";

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
  const sender = senderField(`${prefix}_SENDER`);
  const settings = Configuration.group({
    host: requiredToSend(Configuration.string(`${prefix}_HOST`, { description: "host of the mail server" })),
    port: Configuration.int(`${prefix}_PORT`, {
      description: "port of the mail server",
      default: 587,
      min: 1,
      max: 65535,
    }),
    username: Configuration.string(`${prefix}_USERNAME`, { description: "user name at the mail server" }),
    password: Configuration.secret(`${prefix}_PASSWORD`, { description: "password at the mail server" }),
    security: Configuration.oneOf(`${prefix}_SECURITY`, {
      values: ["starttls", "tls", "none"],
      description: "encryption; default: tls on port 465, none on this machine, else starttls, which is then required",
    }),
    caFile: Configuration.string(`${prefix}_CA_FILE`, {
      description: "PEM file of the certificate authority, if it is not a public one",
    }),
    sender,
  });
  return makeEmail({
    name,
    implementation: "smtp",
    configuration: settings.fields,
    sender,
    open: async () => {
      const { host = "", port, username: user, password, security, caFile } = settings.read();
      if ((user === undefined) !== (password === undefined)) {
        throw errors.E_EMAIL_SETTINGS(`${prefix}_USERNAME and ${prefix}_PASSWORD must be set together`);
      }
      const server: SmtpServer = {
        host,
        port,
        security: security ?? defaultSecurity(host, port),
        login: user === undefined ? {} : { auth: { user, pass: password?.reveal() } },
        authority: caFile === undefined ? {} : { ca: readAuthority(caFile) },
      };
      const nodemailer = await loadNodemailer();
      const transporter = nodemailer.createTransport(transporterOptions(server, timeoutMs));
      const address = `${host}:${port} (${ConfigurationInternals.settingName(`${prefix}_HOST`)})`;
      return smtpTransport(transporter, address, timeoutMs);
    },
  });
}

/** Connection settings of a mail server. */
interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  /** Options of `nodemailer` with user name and password, if there are some. */
  readonly login: object;
  /** TLS options with the certificate authority that is trusted instead of the public ones, if there is one. */
  readonly authority: object;
}

function defaultSecurity(host: string, port: number): SmtpServer["security"] {
  if (port === 465) return "tls";
  return ConfigurationInternals.isLoopback(host.toLowerCase()) ? "none" : "starttls";
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw errors.E_EMAIL_SETTINGS(`the file ${file} cannot be read`).causedBy(cause);
  }
}

function smtpTransport(transporter: NodemailerTransporter, server: string, timeoutMs: number): Transport {
  const send = async (mail: OutgoingMail, signal: AbortSignal): Promise<void> => {
    try {
      const { rejected = [] } = await transporter.sendMail(toNodemailerMessage(mail, signal));
      if (rejected.length > 0)
        throw errors.E_EMAIL_REFUSED(server, `it does not accept mails to ${rejected.join(", ")}`);
      log.debug("Sent a mail", { mail: mail.id });
    } catch (cause) {
      if (isError(cause)) throw cause;
      if (signal.aborted) throw errors.E_EMAIL_UNAVAILABLE(server, signal.reason).causedBy(cause);
      throw toEmailError(server, cause);
    }
  };
  return {
    send: (mail) => withinTime(timeoutMs, (signal) => send(mail, signal)),
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

function transporterOptions({ host, port, security, login, authority }: SmtpServer, timeoutMs: number): object {
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
    ...login,
    tls: { minVersion: "TLSv1.2", ...authority },
    greetingTimeout: connectTimeoutMs,
    socketTimeout: timeoutMs,
  };
}

/**
 * Converts an error of `nodemailer`. Only a permanent failure (5yz, RFC 5321 §4.2.1) caused by the mail itself is a
 * refusal. A wrong password or certificate is not: the mail can be sent again once the settings are corrected.
 */
function toEmailError(server: string, cause: unknown): LimmatError {
  const { code, responseCode, message } = cause as Error & { readonly code?: string; readonly responseCode?: number };
  const isCausedByMail = code === "EENVELOPE" || code === "EMESSAGE";
  // 503 means a bad sequence of commands: a new connection may succeed.
  const isPermanent = responseCode === undefined || (responseCode >= 500 && responseCode !== 503);
  const error = isCausedByMail && isPermanent ? errors.E_EMAIL_REFUSED : errors.E_EMAIL_UNAVAILABLE;
  return error(server, toSingleLine(message)).causedBy(cause);
}
