import { connect, type Socket } from "node:net";
import { Time } from "../../time/index.ts";
import type { Driver, Lane } from "../contract.ts";
import { errors } from "../errors.ts";
import { clash, classify, readable } from "./classify.ts";
import { type Client, type ClientConnection, loadClient } from "./client.ts";
import { type ConnectionParts, MariadbConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { locate, type Location } from "./location.ts";

/** How MariaDB is used. */
export interface MariadbSettings {
  /** How long the server may take to answer a statement, in milliseconds; 0 means for ever. */
  readonly statementTimeout: number;
  /** How long a statement waits for a lock, in milliseconds. */
  readonly lockTimeout: number;
  /** How long connecting may take, in milliseconds. */
  readonly connectTimeout: number;
}

// How long closing waits until the server has ended what connections were still doing, in milliseconds.
const killTimeout = 2000;

// The modes in which text, "names" and || mean what they mean elsewhere, and no value is stored other than it was given.
const modes = [
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

/** Access to one database of a MariaDB server. Throws E_DATABASE_URL, E_DATABASE_DRIVER_MISSING. */
export async function driver(url: string, settings: MariadbSettings): Promise<Driver> {
  const { statementTimeout, connectTimeout } = settings;
  const location = locate(url);
  const client = await loadClient();
  const connections = new Set<MariadbConnection>();
  const kills = new Set<Promise<void>>();

  const killNow = async (what: "query" | "connection", thread: number): Promise<void> => {
    const { client: connection, socket } = await open(client, { location, connectTimeout, isForScripts: false });
    try {
      await connection.query(`kill ${what} ${thread}`);
      await connection.end();
    } finally {
      socket.destroy();
    }
  };
  const kill: ConnectionParts["kill"] = (what, thread) => {
    const killing = killNow(what, thread).finally(() => kills.delete(killing));
    kills.add(killing);
    return killing;
  };

  // One timer for all connections: a timer for each statement would cost more than the statement.
  const watch = (): void => {
    for (const connection of connections) {
      if (connection.state === "closed") connections.delete(connection);
      else if (connection.isLate(statementTimeout)) connection.abandon(errors.E_DATABASE_TIMEOUT(statementTimeout));
    }
  };
  const watching = statementTimeout === 0 ? undefined : setInterval(watch, Math.min(1000, statementTimeout)).unref();

  return {
    dialect,
    where: location.where,
    lanes: (size) => {
      const shared = Math.min(2, Math.floor(size / 2));
      return { write: size - shared, read: 0, shared };
    },
    connect: async (lane) => {
      const opened = await open(client, { location, connectTimeout, isForScripts: lane === "write" });
      try {
        await prepareSession(opened.client, lane, settings);
      } catch (error) {
        opened.socket.destroy();
        throw readable(error);
      }
      const connection = new MariadbConnection({ ...opened, database: location.database, kill });
      connections.add(connection);
      return connection;
    },
    classify,
    clash,
    close: async () => {
      clearInterval(watching);
      const late = Promise.withResolvers<undefined>();
      const stop = Time.after(killTimeout, () => late.resolve(undefined));
      await Promise.race([Promise.allSettled(kills), late.promise]);
      stop();
    },
  };
}

interface Opened {
  readonly client: ClientConnection;
  readonly socket: Socket;
}

interface Opening {
  readonly location: Location;
  readonly connectTimeout: number;
  /** Whether a text that is sent without values may hold several statements. */
  readonly isForScripts: boolean;
}

async function open(client: Client, { location, connectTimeout, isForScripts }: Opening): Promise<Opened> {
  const { host, port, user, password, database, tls } = location;
  const socket = location.socket === undefined ? connect({ host, port }) : connect({ path: location.socket });
  try {
    const connection = await client.createConnection({
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { password }),
      ...(tls === undefined ? {} : { ssl: { ...tls } }),
      database,
      stream: () => socket.setNoDelay(true).setKeepAlive(true, 60_000),
      connectTimeout,
      rowsAsArray: true,
      metaAsArray: true,
      dateStrings: true,
      jsonStrings: true,
      foundRows: true,
      multipleStatements: isForScripts,
      permitLocalInfile: false,
      permitRedirect: false,
      logParam: false,
    });
    // What broke is told to those who wait for an answer. Without a listener the process would end.
    connection.on("error", () => {});
    return { client: connection, socket };
  } catch (error) {
    socket.destroy();
    throw readable(error);
  }
}

async function prepareSession(client: ClientConnection, lane: Lane, { lockTimeout }: MariadbSettings): Promise<void> {
  const { info } = client;
  if (info === null || !info.isMariaDB() || !info.hasMinVersion(10, 11, 0)) {
    throw new Error("The server is not MariaDB 10.11 or later.");
  }
  const seconds = Math.ceil(lockTimeout / 1000);
  const variables = [
    "names utf8mb4 collate utf8mb4_nopad_bin",
    "time_zone = '+00:00'",
    `sql_mode = '${modes.join(",")}'`,
    "default_storage_engine = InnoDB",
    `innodb_lock_wait_timeout = ${seconds}`,
    `lock_wait_timeout = ${seconds}`,
  ];
  // What was taken for a read may call a function that writes: it must not, because a lost read is run again.
  const access = lane === "shared" ? ", read only" : "";
  await Promise.all([
    client.query(`set ${variables.join(", ")}`),
    client.query(`set session transaction isolation level read committed${access}`),
    // Without it, "repeatable read" overwrites what others committed meanwhile.
    client.query("set innodb_snapshot_isolation = on").catch(ignoreUnknownVariable),
  ]);
}

// ER_UNKNOWN_SYSTEM_VARIABLE: before 10.11.8
function ignoreUnknownVariable(error: unknown): void {
  if (!(error instanceof Error && "errno" in error && error.errno === 1193)) throw error;
}
