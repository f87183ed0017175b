import { connect } from "node:net";
import { settlesWithin } from "../../time/index.ts";
import type { Dialect, Driver } from "../contract.ts";
import { type Database, makeDatabase } from "../database.ts";
import { abandonOverdue, withConnectTimeout } from "../pool/deadline.ts";
import { formatTimestamp } from "../row/timestamp.ts";
import type { DatabaseOptions } from "../settings.ts";
import { classify, foreignKeyViolation, uniqueViolation, withServerMessage } from "./classify.ts";
import { type Client, type ClientConnection, fixedOptions, loadMariadb } from "./client.ts";
import { MariadbConnection, type MariadbConnectionOptions } from "./connection.ts";
import { type Location, parseMariadbUrl } from "./location.ts";

/** Options of `mariadb`. */
export interface MariadbOptions extends DatabaseOptions {
  /** Maximum time to wait for the reply to a statement, in milliseconds. Default 30,000; 0 disables the limit. */
  readonly statementTimeoutMs?: number;
  /** Maximum time to open a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number;
}

/**
 * Creates a database service for MariaDB 10.11 or later. Requires the package `mariadb`.
 *
 * `DATABASE_URL` has the form `mariadb://user:password@host:3306/name`. `?sslmode=verify-full` encrypts the connection
 * and verifies the server's certificate, against the file `sslrootcert` if it is given. Statements are prepared once
 * per connection. Quick reads outside transactions share connections without waiting for each other's replies.
 *
 * Sessions use UTF-8, UTC and strict SQL modes. `"names"`, `'text'` and `||` have the same meaning as on the other
 * databases. DDL such as `create table` cannot be rolled back.
 *
 * @example
 * export const database = mariadb();
 */
export function mariadb(options: MariadbOptions = {}): Database {
  return makeDatabase(
    {
      implementation: "mariadb",
      exampleUrl: "mariadb://user:password@localhost:3306/app",
      createDriver: (url) => mariadbDriver(url, options),
    },
    options,
  );
}

// Maximum time that `close` waits for pending KILL commands.
const killTimeoutMs = 2000;

// SQL modes for standard quoting and ||, and for strict values: invalid values are refused, never changed.
const sqlModes = [
  "ANSI_QUOTES",
  "PIPES_AS_CONCAT",
  "NO_BACKSLASH_ESCAPES",
  "SIMULTANEOUS_ASSIGNMENT",
  "ONLY_FULL_GROUP_BY",
  "STRICT_ALL_TABLES",
  "NO_ZERO_IN_DATE",
  "NO_ZERO_DATE",
  "ERROR_FOR_DIVISION_BY_ZERO",
  "NO_ENGINE_SUBSTITUTION",
];

/**
 * Creates the driver of one MariaDB database.
 *
 * @throws E_DATABASE_URL, E_DATABASE_DRIVER_MISSING
 */
export async function mariadbDriver(url: string, options: MariadbOptions): Promise<Driver> {
  const { statementTimeoutMs = 30_000, lockTimeoutMs = 5000, connectTimeoutMs = 5000 } = options;
  const location = parseMariadbUrl(url);
  const client = await loadMariadb();
  const connections = new Set<MariadbConnection>();
  const pendingKills = new Set<Promise<void>>();

  const killOverNewConnection = async (target: "query" | "connection", threadId: number): Promise<void> => {
    const { client: connection, socket } = await openConnection(client, location, connectTimeoutMs);
    try {
      await connection.query(`kill ${target} ${threadId}`);
      await connection.end();
    } finally {
      socket.destroy();
    }
  };
  const kill: MariadbConnectionOptions["kill"] = (target, threadId) => {
    const pendingKill = killOverNewConnection(target, threadId).finally(() => pendingKills.delete(pendingKill));
    pendingKills.add(pendingKill);
    return pendingKill;
  };

  const stopTimer = abandonOverdue(connections, statementTimeoutMs);

  return {
    dialect: mariadbDialect,
    location: location.description,
    poolSizes: (size) => ({ write: size, read: 0, single: 0 }),
    canPipeline: true,
    canPipelineWrites: false,
    connect: async () => {
      try {
        const opened = await openConnection(client, location, connectTimeoutMs);
        const prepare = (): Promise<unknown> => prepareSession(opened.client, lockTimeoutMs);
        await withConnectTimeout(connectTimeoutMs, () => opened.socket, prepare);
        const connection = new MariadbConnection({ ...opened, database: location.database, kill });
        connections.add(connection);
        return connection;
      } catch (error) {
        throw withServerMessage(error);
      }
    },
    classify,
    // Writes have connections of their own, and E_DATABASE_CONNECTION_LOST leaves their outcome open.
    isOutcomeUnknown: () => false,
    uniqueViolation,
    foreignKeyViolation,
    close: async () => {
      stopTimer();
      await settlesWithin(Promise.allSettled(pendingKills), killTimeoutMs);
    },
  };
}

async function openConnection(
  client: Client,
  { socket: socketPath, host, port, user, password, database, tls }: Location,
  connectTimeoutMs: number,
): Promise<Pick<MariadbConnectionOptions, "client" | "socket">> {
  const socket = socketPath === undefined ? connect({ host, port }) : connect({ path: socketPath });
  const createConnection = (): Promise<ClientConnection> =>
    client.createConnection({
      ...fixedOptions,
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { password }),
      ...(tls === undefined ? {} : { ssl: { ...tls } }),
      database,
      stream: () => socket.setNoDelay(true).setKeepAlive(true, 60_000),
    });
  const connection = await withConnectTimeout(connectTimeoutMs, () => socket, createConnection);
  // Pending statements reject with the error. Without a listener, it would also crash the process.
  connection.on("error", () => {});
  return { client: connection, socket };
}

async function prepareSession(client: ClientConnection, lockTimeoutMs: number): Promise<unknown> {
  const { info } = client;
  if (info === null || !info.isMariaDB() || !info.hasMinVersion(10, 11, 0)) {
    throw new Error("The server is not MariaDB 10.11 or later.");
  }
  const seconds = Math.ceil(lockTimeoutMs / 1000);
  const variables = [
    "names utf8mb4 collate utf8mb4_nopad_bin",
    "time_zone = '+00:00'",
    `sql_mode = '${sqlModes.join(",")}'`,
    "default_storage_engine = InnoDB",
    `innodb_lock_wait_timeout = ${seconds}`,
    `lock_wait_timeout = ${seconds}`,
  ];
  return Promise.all([
    client.query(`set ${variables.join(", ")}`),
    client.query("set session transaction isolation level read committed"),
    // Without snapshot isolation, "repeatable read" overwrites rows that other transactions have committed meanwhile.
    client.query("set innodb_snapshot_isolation = on").catch(ignoreUnknownVariable),
  ]);
}

// ER_UNKNOWN_SYSTEM_VARIABLE: before 10.11.8
function ignoreUnknownVariable(error: unknown): void {
  if (!(error instanceof Error && "errno" in error && error.errno === 1193)) throw error;
}

const textCharset = "character set utf8mb4 collate utf8mb4_nopad_bin";

// No collation of utf8mb4 ignores ASCII case only. Reinterpreting the UTF-8 bytes as hp8 does: every byte is a character
// there, and this collation folds A to Z with a to z and no others.
const foldStart = "convert(convert(convert(";
const foldEnd = " using utf8mb4) using binary) using hp8) collate hp8_english_nopad_ci";

/** SQL syntax and value encoding of MariaDB. */
const mariadbDialect: Dialect = Object.freeze({
  name: "mariadb",
  placeholder: () => "?",
  identifierQuote: "`",
  maxParameters: 65_535,
  encodeBool: Number,
  encodeTimestamp: formatTimestamp,
  likeParts: [foldStart, `${foldEnd} like ${foldStart}`, `${foldEnd} escape '!'`],
  columnTypes: {
    uuid: "uuid",
    text: `longtext ${textCharset}`,
    string: (length = 255) => `varchar(${length}) ${textCharset}`,
    bool: "boolean",
    int: "bigint",
    float: "double",
    decimal: (precision, scale) => `decimal(${precision}, ${scale})`,
    bytes: "longblob",
    timestamp: "datetime(3)",
    date: "date",
    json: "json",
  },
  hasTransactionalDdl: false,
  listTables:
    "select table_name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by binary table_name",
} satisfies Dialect);
