import type { ConnectionKind, Dialect, Driver } from "../contract.ts";
import { errors } from "../errors.ts";
import { formatTimestamp } from "../row/timestamp.ts";
import { classify, uniqueViolation } from "./classify.ts";
import { loadPg, type PgClient } from "./client.ts";
import { PostgresqlConnection } from "./connection.ts";
import { queryClassSelector } from "./query-class-selector.ts";

/** Settings of the PostgreSQL driver. */
export interface PostgresqlSettings {
  /** True to send statements by name, so that the server plans them once. */
  readonly prepare: boolean;
  /** Maximum time to wait for the reply to a statement, in milliseconds; 0 disables the limit. */
  readonly statementTimeoutMs: number;
  /** Maximum time that a statement waits for a lock, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** Maximum time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
}

/**
 * Creates the driver of one PostgreSQL database.
 *
 * @throws E_DATABASE_DRIVER_MISSING, E_DATABASE_URL
 */
export async function postgresqlDriver(url: string, settings: PostgresqlSettings): Promise<Driver> {
  const { prepare, statementTimeoutMs, lockTimeoutMs, connectTimeoutMs } = settings;
  const location = describeLocation(url);
  const { Client, Query: Base } = await loadPg();
  const queryClass = queryClassSelector(Base, prepare);
  const connections = new Set<PostgresqlConnection>();

  const openClient = async (pipeline: boolean): Promise<PgClient> => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline,
    });
    client.on("error", () => {});
    await client.connect();
    return client;
  };

  const terminateBackend = async (processId: number): Promise<void> => {
    const client = await openClient(false);
    await new Promise<void>((resolve) => {
      client.query(`select pg_terminate_backend(${processId})`, () => resolve());
    });
    await client.end();
  };

  // One timer for all connections, because a timer per statement would cost more than the statement.
  const abandonOverdueConnections = (): void => {
    for (const connection of connections) {
      if (connection.state === "closed") connections.delete(connection);
      const sinceMs = connection.oldestPendingSinceMs;
      if (sinceMs === undefined || performance.now() - sinceMs < statementTimeoutMs) continue;
      connections.delete(connection);
      connection.abandon(errors.E_DATABASE_TIMEOUT(statementTimeoutMs));
    }
  };
  const watchTimer =
    statementTimeoutMs === 0
      ? undefined
      : setInterval(abandonOverdueConnections, Math.min(1000, statementTimeoutMs)).unref();

  return {
    dialect: postgresqlDialect,
    location,
    poolSizes: (size): Readonly<Record<ConnectionKind, number>> => {
      const pipelined = Math.min(2, Math.floor(size / 2));
      return { write: size - pipelined, read: 0, pipelined };
    },
    connect: async (kind) => {
      const isPipelined = kind === "pipelined";
      const client = await openClient(isPipelined);
      let connection: PostgresqlConnection | undefined;
      try {
        const Query = await queryClass(client);
        connection = new PostgresqlConnection({ client, Query, prepare, isPipelined, terminateBackend });
        await connection.script(
          `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set lock_timeout = ${lockTimeoutMs}`,
        );
      } catch (error) {
        if (connection === undefined) client.end().catch(() => {});
        else connection.close();
        throw error;
      }
      connections.add(connection);
      return connection;
    },
    classify,
    uniqueViolation,
    close: () => clearInterval(watchTimer),
  };
}

/** Returns host and database of a URL, for messages. */
function describeLocation(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw errors.E_DATABASE_URL("the form for PostgreSQL is postgresql://user:password@host:5432/name");
  }
  return `PostgreSQL at ${parsed.host || "the local socket"}${parsed.pathname}`;
}

/** SQL syntax and value encoding of PostgreSQL. */
const postgresqlDialect: Dialect = Object.freeze({
  name: "postgresql",
  placeholder: (position) => `$${position}`,
  identifierQuote: '"',
  maxParameters: 65_535,
  encodeBool: (value) => value,
  // "timestamp with time zone" uses the offset, "timestamp" ignores it.
  encodeTimestamp: (date) => `${formatTimestamp(date)}+00`,
  // The collation "C" folds the case of A to Z only.
  likeParts: ["", ' collate "C" ilike ', " escape '!'"],
  columnTypes: {
    uuid: "uuid",
    text: 'text collate "C"',
    string: (length = 255) => `varchar(${length}) collate "C"`,
    bool: "boolean",
    int: "bigint",
    float: "double precision",
    decimal: (precision, scale) => `numeric(${precision}, ${scale})`,
    bytes: "bytea",
    timestamp: "timestamp(3) with time zone",
    date: "date",
    json: "jsonb",
  },
  hasTransactionalDdl: true,
  listTables: "select tablename from pg_tables where schemaname = current_schema() order by tablename",
} satisfies Dialect);
