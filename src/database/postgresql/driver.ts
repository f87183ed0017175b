import type { Driver, Lane } from "../contract.ts";
import { errors } from "../errors.ts";
import { clash, classify } from "./classify.ts";
import { loadPg, type PgClient } from "./client.ts";
import { PostgresqlConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { queryClassChooser } from "./query-class.ts";

/** How PostgreSQL is used. */
export interface PostgresqlSettings {
  readonly prepare: boolean;
  /** How long the server may take to answer a statement, in milliseconds; 0 means for ever. */
  readonly statementTimeout: number;
  /** How long a statement waits for a lock, in milliseconds. */
  readonly lockTimeout: number;
  /** How long connecting may take, in milliseconds. */
  readonly connectTimeout: number;
}

/** Access to one database. Throws E_DATABASE_DRIVER_MISSING, E_DATABASE_URL. */
export async function driver(url: string, settings: PostgresqlSettings): Promise<Driver> {
  const { prepare, statementTimeout, lockTimeout, connectTimeout } = settings;
  const where = describe(url);
  const { Client, Query: Base } = await loadPg();
  const queryClass = queryClassChooser(Base, prepare);
  const connections = new Set<PostgresqlConnection>();

  const open = async (pipeline: boolean): Promise<PgClient> => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      pipeline,
    });
    client.on("error", () => {});
    await client.connect();
    return client;
  };

  const terminate = async (processId: number): Promise<void> => {
    const client = await open(false);
    await new Promise<void>((resolve) => {
      client.query(`select pg_terminate_backend(${processId})`, () => resolve());
    });
    await client.end();
  };

  // One timer for all connections: a timer for each statement would cost more than the statement.
  const watch = (): void => {
    for (const connection of connections) {
      if (connection.state === "closed") connections.delete(connection);
      const since = connection.waitingSince;
      if (since === undefined || performance.now() - since < statementTimeout) continue;
      connections.delete(connection);
      connection.abandon(errors.E_DATABASE_TIMEOUT(statementTimeout));
    }
  };
  const watching = statementTimeout === 0 ? undefined : setInterval(watch, Math.min(1000, statementTimeout)).unref();

  return {
    dialect,
    where,
    lanes: (size): Readonly<Record<Lane, number>> => {
      const shared = Math.min(2, Math.floor(size / 2));
      return { write: size - shared, read: 0, shared };
    },
    connect: async (lane) => {
      const client = await open(lane === "shared");
      const isShared = lane === "shared";
      let connection: PostgresqlConnection | undefined;
      try {
        const Query = await queryClass(client);
        connection = new PostgresqlConnection({ client, Query, prepare, isShared, terminate });
        await connection.script(
          `set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set lock_timeout = ${lockTimeout}`,
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
    clash,
    close: () => clearInterval(watching),
  };
}

/** Host and database of a URL. */
function describe(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw errors.E_DATABASE_URL("for PostgreSQL it looks like postgresql://user:password@host:5432/name");
  }
  return `PostgreSQL at ${parsed.host || "the local socket"}${parsed.pathname}`;
}
