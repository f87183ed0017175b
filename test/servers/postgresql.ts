import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { daemon, eventually, freePort, program, run, unprivileged } from "./process.ts";
import { patience, type ServerKind, type TestServer } from "./server.ts";

/** PostgreSQL. */
export const postgresql: ServerKind = {
  name: "PostgreSQL",
  key: "TEST_POSTGRESQL_URL",
  standard: "postgresql://postgres@127.0.0.1:5432/postgres",
  answers: async (url) =>
    query(url, "select 1").then(
      () => true,
      () => false,
    ),
  start: startPostgresql,
  create: async (url) => {
    const name = `limmat_test_${process.pid}_${randomBytes(4).toString("hex")}`;
    await query(url, `create database ${name} encoding 'UTF8' template template0`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    return { url: own.href, drop: () => query(url, `drop database ${name} with (force)`) };
  },
};

/** Runs a statement on a connection of its own. */
export async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patience });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A server that tests may kill and start again. */
export interface RestartableServer extends TestServer {
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Starts a server of its own in a temporary folder, on a free port; `undefined` when PostgreSQL is not installed. */
export async function startPostgresql(): Promise<RestartableServer | undefined> {
  const initdb = program("initdb", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin");
  const postgres = program("postgres", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin");
  if (initdb === undefined || postgres === undefined) return undefined;
  const user = await unprivileged("postgres");
  const folder = mkdtempSync(join(tmpdir(), "limmat-postgresql-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  await run(initdb, ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"], user);
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
  const launch = async (): Promise<ReturnType<typeof daemon>> => {
    const started = daemon(postgres, args, user);
    if (!(await eventually(() => postgresql.answers(url)))) throw new Error("PostgreSQL did not start");
    return started;
  };
  let running = await launch();
  return {
    url,
    kill: () => running.end("SIGQUIT"),
    restart: async () => {
      if (running.isRunning()) await running.end("SIGINT");
      running = await launch();
    },
    stop: async () => {
      if (running.isRunning()) await running.end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
