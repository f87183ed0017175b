import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startDaemon, waitUntil, freePort, findProgram, runProgram, unprivilegedUser } from "./process.ts";
import { serverTimeoutMs, type RestartableServer, type ServerKind } from "./server.ts";

/** PostgreSQL server. */
export const postgresql: ServerKind = {
  name: "PostgreSQL",
  urlVariable: "TEST_POSTGRESQL_URL",
  defaultUrl: "postgresql://postgres@127.0.0.1:5432/postgres",
  isReachable: async (url) =>
    runStatement(url, "select 1").then(
      () => true,
      () => false,
    ),
  start: startPostgresql,
  createDatabase: async (url) => {
    const name = `limmat_test_${process.pid}_${randomBytes(4).toString("hex")}`;
    await queryRows(
      url,
      `create database ${name} encoding 'UTF8' template template0`,
      // No test needs these rows after a crash of the server, so that no commit has to wait for the disk.
      `alter database ${name} set synchronous_commit = off`,
    );
    const databaseUrl = new URL(url);
    databaseUrl.pathname = `/${name}`;
    return { url: databaseUrl.href, drop: () => runStatement(url, `drop database ${name} with (force)`) };
  },
};

/** Runs a statement on a new connection. */
export async function runStatement(url: string, text: string): Promise<void> {
  await queryRows(url, text);
}

/** Runs statements in turn on a new connection and returns the rows of the last one. */
export async function queryRows(url: string, ...texts: readonly string[]): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: serverTimeoutMs });
  client.on("error", () => {});
  let rows: readonly unknown[] = [];
  try {
    await client.connect();
    for (const text of texts) ({ rows } = await client.query(text));
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Starts a temporary server on a free port. Returns `undefined` if PostgreSQL is not installed. */
export async function startPostgresql(): Promise<RestartableServer | undefined> {
  const initdb = findProgram("initdb", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin");
  const postgres = findProgram("postgres", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin");
  if (initdb === undefined || postgres === undefined) return undefined;
  const user = await unprivilegedUser("postgres");
  const folder = mkdtempSync(join(tmpdir(), "limmat-postgresql-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  await runProgram(
    initdb,
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    user,
  );
  const port = await freePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const args = [
    "-D",
    data,
    "-p",
    String(port),
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    `unix_socket_directories=${folder}`,
  ];
  const launchServer = async (): Promise<ReturnType<typeof startDaemon>> => {
    const started = startDaemon(postgres, args, user);
    if (!(await waitUntil(() => postgresql.isReachable(url)))) throw new Error("PostgreSQL did not start");
    return started;
  };
  let daemon = await launchServer();
  return {
    url,
    kill: () => daemon.stop("SIGQUIT"),
    restart: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGINT");
      daemon = await launchServer();
    },
    stop: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
