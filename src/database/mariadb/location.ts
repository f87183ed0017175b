import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { errors } from "../errors.ts";
import type { ClientTls } from "./client.ts";

/** Address of a database, with credentials. */
export interface Location {
  readonly host: string;
  readonly port: number;
  /** Path of a Unix socket, used instead of host and port. */
  readonly socket: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly tls: ClientTls | undefined;
  /** Description for messages. Contains no user or password. */
  readonly description: string;
}

const advice = "use mariadb://user:password@host:3306/name";
const parameterNames = ["socket", "sslmode", "sslrootcert", "sslcert", "sslkey"] as const;
const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;

type UrlParameters = Readonly<Partial<Record<(typeof parameterNames)[number], string>>>;

/**
 * Parses `mariadb://user:password@host:3306/name`.
 *
 * Parameters: `socket`, `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`) and `sslrootcert`, `sslcert`,
 * `sslkey` (paths of PEM files).
 *
 * @throws E_DATABASE_URL. Its message never contains the URL.
 */
export function parseMariadbUrl(url: string): Location {
  const parsed = URL.parse(url);
  if (parsed === null) throw errors.E_DATABASE_URL(`it is not a URL; ${advice}`);
  const { protocol, hostname, port, username, password, pathname } = parsed;
  if (protocol !== "mariadb:" && protocol !== "mysql:") {
    throw errors.E_DATABASE_URL(`"${protocol}" is not a protocol of MariaDB; ${advice}`);
  }
  const database = decodeUrlPart(pathname.replace(/^\//, ""), "name of the database");
  if (database === "") throw errors.E_DATABASE_URL(`the name of the database is missing; ${advice}`);
  const parameters = readParameters(parsed.searchParams);
  const host = decodeUrlPart(hostname.replace(/^\[(.*)\]$/, "$1"), "host") || "localhost";
  const location = { host, port: port === "" ? 3306 : Number(port), socket: parameters.socket };
  return {
    ...location,
    user: decodeUrlPart(username, "user") || undefined,
    password: decodeUrlPart(password, "password") || undefined,
    database,
    tls: readTls(host, parameters),
    description: `the database "${database}" at ${location.socket ?? `${host}:${location.port}`}`,
  };
}

function decodeUrlPart(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.E_DATABASE_URL(`the ${part} contains a % that begins no escape sequence; write %25`);
  }
}

function readParameters(searchParams: URLSearchParams): UrlParameters {
  const parameters: Record<string, string> = {};
  for (const [name, value] of searchParams) {
    if (!parameterNames.some((parameterName) => parameterName === name)) {
      throw errors.E_DATABASE_URL(`unknown parameter "${name}"; allowed are ${parameterNames.join(", ")}`);
    }
    parameters[name] = value;
  }
  return parameters;
}

function readTls(
  host: string,
  { sslmode = "disable", sslrootcert, sslcert, sslkey }: UrlParameters,
): ClientTls | undefined {
  if (!sslModes.some((mode) => mode === sslmode)) {
    throw errors.E_DATABASE_URL(`sslmode must be one of ${sslModes.join(", ")}`);
  }
  if (sslmode === "disable") {
    if (sslrootcert === undefined && sslcert === undefined && sslkey === undefined) return undefined;
    throw errors.E_DATABASE_URL("certificates require an sslmode; use sslmode=verify-full");
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
    throw errors.E_DATABASE_URL(`cannot read the file of ${parameter}: ${path}`).causedBy(cause);
  }
}
