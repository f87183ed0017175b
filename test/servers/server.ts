import * as runner from "node:test";

/**
 * Maximum time for a reply of a server, in milliseconds. Long, because a busy machine is slow; a missing server refuses
 * immediately.
 */
export const serverTimeoutMs = 60_000;

/** Database of one test file. */
export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Running server, found or started for the tests. */
export interface TestServer {
  /** URL with a user who may create databases. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Server that tests may kill and restart. */
export interface RestartableServer extends TestServer {
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Kind of database server that tests use. */
export interface ServerKind {
  readonly name: string;
  /** Environment variable with the URL of a server. If it is set, no other server is used. */
  readonly urlVariable: string;
  /** Usual URL of a local server. */
  readonly defaultUrl: string;
  /** Returns true if a server answers at the URL. */
  readonly isReachable: (url: string) => Promise<boolean>;
  /** Starts a temporary server. Returns `undefined` if its programs are not installed. */
  readonly start: () => Promise<TestServer | undefined>;
  /** Creates an empty database on a server. */
  readonly createDatabase: (url: string) => Promise<TestDatabase>;
}

/** Finds a server: from the environment variable, at the default URL, or a temporary one. */
export async function findServer(kind: ServerKind): Promise<TestServer | undefined> {
  const stop = async (): Promise<void> => {};
  const configuredUrl = process.env[kind.urlVariable];
  if (configuredUrl !== undefined && configuredUrl !== "") return { url: configuredUrl, stop };
  if (await kind.isReachable(kind.defaultUrl)) return { url: kind.defaultUrl, stop };
  return kind.start();
}

/**
 * Registers tests on a new database, which is dropped afterwards.
 *
 * Without a server the tests are reported as skipped. With `CI=true` a missing server is a failure.
 */
export async function withServer(
  kind: ServerKind,
  register: (database: TestDatabase, server: TestServer) => void,
): Promise<void> {
  const server = await findServer(kind);
  if (server === undefined) {
    const reason = `no ${kind.name} server: set ${kind.urlVariable}, start one at ${kind.defaultUrl}, or install it`;
    if (process.env["CI"] === "true") throw new Error(reason);
    runner.test(kind.name, { skip: reason });
    return;
  }
  const database = await kind.createDatabase(server.url);
  runner.after(async () => {
    await database.drop();
    await server.stop();
  });
  register(database, server);
}
