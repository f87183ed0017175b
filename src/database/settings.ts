import { Configuration, type ConfigurationField, ConfigurationInternals } from "../config/index.ts";
import type { Environment, Service } from "../core/index.ts";
import type { Driver } from "./contract.ts";

/** Options of a database service. */
export interface DatabaseOptions {
  /** Name of the service. Default `database`. */
  readonly name?: string;
  /** URL of the database. Default: read from the configuration. */
  readonly url?: string;
  /** Prefix of the configuration keys. Default `DATABASE`. */
  readonly prefix?: string;
  /** Maximum time that an operation waits for a free connection, in milliseconds. Default 5,000. */
  readonly acquireTimeoutMs?: number;
  /** Maximum time that a statement waits for a lock, in milliseconds. Default 5,000. */
  readonly lockTimeoutMs?: number;
  /** Maximum time that `stop` waits for connections in use, in milliseconds. Default 10,000. */
  readonly drainTimeoutMs?: number;
}

/** Properties of a database service that depend on the driver. */
export interface DatabaseDefinition {
  /** Name of the implementation: `sqlite`. */
  readonly implementation: string;
  readonly createDriver: (url: string) => Driver | Promise<Driver>;
  readonly defaultUrl?: (environment: Environment) => string;
  /** Example of a URL, for the description of the configuration key. */
  readonly exampleUrl: string;
}

/** Configuration of a database service. */
export interface DatabaseSettings {
  readonly fields: readonly ConfigurationField[];
  readonly read: () => {
    readonly url: string | undefined;
    readonly poolSize: number;
    readonly maxWaiting: number;
    readonly skipDefaultPool: boolean;
    readonly selectedPool: string | undefined;
  };
}

/** Creates the fields of the connection and of the pool, whose keys begin with the prefix: `DATABASE_URL`. */
export function databaseSettings(
  { defaultUrl, exampleUrl }: Omit<DatabaseDefinition, "createDriver">,
  { prefix = "DATABASE", url }: DatabaseOptions,
): DatabaseSettings {
  const skipKey = `${prefix}_SKIP_DEFAULT_POOL_CREATION`;
  const field = Configuration.secret(`${prefix}_URL`, {
    description: `URL of the database, such as ${exampleUrl}`,
    ...(defaultUrl === undefined ? {} : { default: defaultUrl }),
  });
  const urlField = {
    ...field,
    isRequired: () => defaultUrl === undefined && Configuration.readBool(skipKey) !== true,
  };
  const group = Configuration.group({
    poolSize: Configuration.int(`${prefix}_POOL_SIZE`, {
      description: "maximum number of connections that a process opens",
      default: 10,
      min: 1,
      max: 10_000,
    }),
    maxWaiting: Configuration.int(`${prefix}_POOL_WAITING`, {
      description: "maximum number of operations that wait for a connection; further ones fail at once",
      default: 10_000,
      min: 1,
      max: 1_000_000,
    }),
    skipDefaultPool: Configuration.bool(skipKey, {
      description: "true to open no pool at start, because the application adds its own pools",
      default: false,
    }),
    selectedPool: Configuration.string(`${prefix}_CHOOSE_POOL`, {
      description: "name of the pool for calls that name none",
    }),
  });
  return {
    fields: url === undefined ? [urlField, ...group.fields] : group.fields,
    read: () => ({ url: url ?? Configuration.read(urlField)?.reveal(), ...group.read() }),
  };
}

/**
 * Reports a connection over which statements and results travel unencrypted to another machine. A URL with an `sslmode` says
 * what is intended, so it is not reported, even with `sslmode=disable`.
 */
export function encryptionFindings(url: string): readonly Service.Finding[] {
  const host = unencryptedHost(url);
  if (host === undefined) return [];
  return [
    {
      level: "warning",
      message: `The connection to the database at ${host} is not encrypted`,
      advice: "Add sslmode=verify-full to the URL, or sslmode=disable if nobody else can reach the network in between.",
    },
  ];
}

// Parameters that decide on TLS. `ssl` is one of the package `pg`.
const tlsParameters = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey"];

function unencryptedHost(url: string): string | undefined {
  const parsed = URL.parse(url);
  const [, engine] = /^(postgres|mariadb|mysql)(?:ql)?:$/.exec(parsed?.protocol ?? "") ?? [];
  if (parsed === null || engine === undefined) return undefined;
  const { hostname, searchParams } = parsed;
  const host = searchParams.get("host") ?? hostname;
  const isLocal = host === "" || /^(?:\/|%2f)/i.test(host) || ConfigurationInternals.isLoopback(host);
  if (isLocal || searchParams.has("socket")) return undefined;
  // The package `pg` reads PGSSLMODE if the URL says nothing.
  const isDecided = tlsParameters.some((name) => searchParams.has(name));
  return isDecided || (engine === "postgres" && process.env["PGSSLMODE"] !== undefined) ? undefined : host;
}
