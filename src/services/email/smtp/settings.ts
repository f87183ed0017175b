import { readFileSync } from "node:fs";
import { Configuration, type ConfigurationField } from "../../../config/index.ts";
import { errors } from "../errors.ts";
import { neededToSend } from "../interception.ts";
import { isLoopback } from "../loopback.ts";
import { senderField } from "../transport.ts";

/** How a mail server is reached. */
export interface Server {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  /** The certificates of the authorities that are trusted, instead of the usual ones. */
  readonly ca: string | undefined;
}

/** The configuration of one mail account. */
export interface Settings {
  readonly fields: readonly ConfigurationField[];
  readonly sender: ConfigurationField<string | undefined>;
  /** @throws E_EMAIL_SETTINGS */
  readonly read: () => Server;
}

/** The fields `SMTP_HOST`, `SMTP_PORT`, … for a prefix. */
export function settings(prefix: string): Settings {
  const sender = senderField(`${prefix}_SENDER`);
  const group = Configuration.group({
    host: neededToSend(Configuration.string(`${prefix}_HOST`, { description: "the mail server" })),
    port: Configuration.int(`${prefix}_PORT`, { description: "its port", default: 587, min: 1, max: 65535 }),
    username: Configuration.string(`${prefix}_USERNAME`, { description: "the user that logs in at the mail server" }),
    password: Configuration.secret(`${prefix}_PASSWORD`, { description: "the password of that user" }),
    security: Configuration.oneOf(`${prefix}_SECURITY`, {
      values: ["starttls", "tls", "none"],
      description:
        "how the connection is encrypted: on port 465 tls, on this machine none, else starttls, which must succeed",
    }),
    caFile: Configuration.string(`${prefix}_CA_FILE`, {
      description: "a PEM file with the authority of the server's certificate, if none of the public ones",
    }),
    sender,
  });

  return {
    fields: group.fields,
    sender,
    read: () => {
      const { host = "", port, username, password, security, caFile } = group.read();
      if ((username === undefined) !== (password === undefined)) {
        throw errors.E_EMAIL_SETTINGS(`${prefix}_USERNAME and ${prefix}_PASSWORD are set together, or neither`);
      }
      const login = username === undefined || password === undefined ? undefined : { user: username, pass: password };
      return { host, port, security: security ?? usual(host, port), login, ca: readCa(caFile) };
    },
  };
}

function usual(host: string, port: number): Server["security"] {
  if (port === 465) return "tls";
  return isLoopback(host) ? "none" : "starttls";
}

function readCa(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw errors.E_EMAIL_SETTINGS(`the file ${file} cannot be read`).causedBy(cause);
  }
}
