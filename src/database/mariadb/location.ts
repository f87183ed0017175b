import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { errors } from "../errors.ts";
import type { ClientTls } from "./client.ts";

/** Where a server is, and how to log in. */
export interface Location {
  readonly host: string;
  readonly port: number;
  /** A Unix socket that is used instead. */
  readonly socket: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly tls: ClientTls | undefined;
  /** What messages call it. */
  readonly where: string;
}

const known = ["socket", "sslmode", "sslrootcert", "sslcert", "sslkey"] as const;
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

type Parameters = Readonly<Partial<Record<(typeof known)[number], string>>>;

/**
 * Understands `mariadb://user:password@host:3306/name`, with the parameters `socket`, `sslmode` (`disable`, `require`,
 * `verify-ca`, `verify-full`) and `sslrootcert`, `sslcert`, `sslkey` (paths of PEM files).
 *
 * @throws E_DATABASE_URL, never with the URL in it.
 */
export function locate(url: string): Location {
  const parsed = URL.parse(url);
  if (parsed === null) throw errors.E_DATABASE_URL("it is no URL; take mariadb://user:password@host:3306/name");
  const { protocol, hostname, port, username, password, pathname } = parsed;
  if (protocol !== "mariadb:" && protocol !== "mysql:") {
    throw errors.E_DATABASE_URL(`"${protocol}" is not for MariaDB; take mariadb://user:password@host:3306/name`);
  }
  const database = decode(pathname.replace(/^\//, ""), "name of the database");
  if (database === "") throw errors.E_DATABASE_URL("it names no database; take mariadb://user:password@host:3306/name");
  const parameters = readParameters(parsed.searchParams);
  const host = decode(hostname.replace(/^\[(.*)\]$/, "$1"), "host") || "localhost";
  const location = { host, port: port === "" ? 3306 : Number(port), socket: parameters.socket };
  return {
    ...location,
    user: decode(username, "user") || undefined,
    password: decode(password, "password") || undefined,
    database,
    tls: readTls(host, parameters),
    where: `the database "${database}" at ${location.socket ?? `${host}:${location.port}`}`,
  };
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.E_DATABASE_URL(`its ${what} has a % that begins no escape; write %25`);
  }
}

function readParameters(given: URLSearchParams): Parameters {
  const parameters: Record<string, string> = {};
  for (const [name, value] of given) {
    if (!known.some((each) => each === name)) {
      throw errors.E_DATABASE_URL(`the parameter "${name}" is not known; known are ${known.join(", ")}`);
    }
    parameters[name] = value;
  }
  return parameters;
}

function readTls(
  host: string,
  { sslmode = "disable", sslrootcert, sslcert, sslkey }: Parameters,
): ClientTls | undefined {
  if (!modes.some((mode) => mode === sslmode)) {
    throw errors.E_DATABASE_URL(`sslmode is one of ${modes.join(", ")}`);
  }
  if (sslmode === "disable") {
    if (sslrootcert === undefined && sslcert === undefined && sslkey === undefined) return undefined;
    throw errors.E_DATABASE_URL("certificates are given, but no sslmode; take sslmode=verify-full");
  }
  return {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: sslmode !== "require",
    ...(sslmode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}),
    ...(sslrootcert === undefined ? {} : { ca: readPem(sslrootcert, "sslrootcert") }),
    ...(sslcert === undefined ? {} : { cert: readPem(sslcert, "sslcert") }),
    ...(sslkey === undefined ? {} : { key: readPem(sslkey, "sslkey") }),
  };
}

function readPem(path: string, parameter: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw errors.E_DATABASE_URL(`the file of ${parameter} cannot be read: ${path}`).causedBy(cause);
  }
}
