import { readFileSync } from "node:fs";
import { Configuration, type ConfigurationField, ConfigurationInternals } from "../../../../config/index.ts";
import { errors } from "../../errors.ts";
import { requiredToSend, senderField } from "../make-email.ts";

/** Connection settings of a mail server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** Trusted certificate authorities, instead of the public ones. */
  readonly ca: string | undefined;
}

/** Configuration of one mail account. */
export interface SmtpSettings {
  readonly fields: readonly ConfigurationField[];
  readonly sender: ConfigurationField<string | undefined>;
  /** Reads and validates the settings. @throws E_EMAIL_SETTINGS */
  readonly read: () => SmtpServer;
}

/** Returns the configuration of an account: the fields `SMTP_HOST`, `SMTP_PORT`, … with another prefix. */
export function smtpSettings(prefix: string): SmtpSettings {
  const sender = senderField(`${prefix}_SENDER`);
  const group = Configuration.group({
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

  return {
    fields: group.fields,
    sender,
    read: () => {
      const { host = "", port, username, password, security, caFile } = group.read();
      if ((username === undefined) !== (password === undefined)) {
        throw errors.E_EMAIL_SETTINGS(`${prefix}_USERNAME and ${prefix}_PASSWORD must be set together`);
      }
      const login = username === undefined || password === undefined ? undefined : { user: username, pass: password };
      return { host, port, security: security ?? defaultSecurity(host, port), login, ca: readAuthority(caFile) };
    },
  };
}

function defaultSecurity(host: string, port: number): SmtpServer["security"] {
  if (port === 465) return "tls";
  return ConfigurationInternals.isLoopback(host.toLowerCase()) ? "none" : "starttls";
}

function readAuthority(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw errors.E_EMAIL_SETTINGS(`the file ${file} cannot be read`).causedBy(cause);
  }
}
