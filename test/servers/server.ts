import * as runner from "node:test";

/** How long a server may take to answer, in milliseconds: one that is not there refuses at once, a busy one is slow. */
export const patience = 60_000;

/** A database that only one test file uses. */
export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** A server that was found, or started for the tests. */
export interface TestServer {
  /** Its URL, with a user who may create databases. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** How the tests come to a server of a kind. */
export interface ServerKind {
  readonly name: string;
  /** The environment variable that names a server: then no other is looked for. */
  readonly key: string;
  /** Where a server usually is on a developer's machine. */
  readonly standard: string;
  /** Tells whether a server answers there. */
  readonly answers: (url: string) => Promise<boolean>;
  /** Starts a server of its own from installed programs, or gives `undefined` when they are not installed. */
  readonly start: () => Promise<TestServer | undefined>;
  /** Makes an empty database on a server. */
  readonly create: (url: string) => Promise<TestDatabase>;
}

/** Finds a server: the one that the environment names, else the usual one, else one that is started for the tests. */
export async function findServer(kind: ServerKind): Promise<TestServer | undefined> {
  const stop = async (): Promise<void> => {};
  const named = process.env[kind.key];
  if (named !== undefined && named !== "") return { url: named, stop };
  if (await kind.answers(kind.standard)) return { url: kind.standard, stop };
  return kind.start();
}

/**
 * Registers tests that need a server, on a database of their own, which is dropped in the end. Without a server they
 * are skipped, visibly; with `CI=true` that is a failure.
 */
export async function withServer(
  kind: ServerKind,
  register: (database: TestDatabase, server: TestServer) => void,
): Promise<void> {
  const server = await findServer(kind);
  if (server === undefined) {
    const reason = `no ${kind.name} server: set ${kind.key}, start one at ${kind.standard}, or install it`;
    if (process.env["CI"] === "true") throw new Error(reason);
    runner.test(kind.name, { skip: reason });
    return;
  }
  const database = await kind.create(server.url);
  runner.after(async () => {
    await database.drop();
    await server.stop();
  });
  register(database, server);
}
