import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnection } from "mariadb";
import { daemon, eventually, freePort, program, run, unprivileged } from "./process.ts";
import { patience, type ServerKind, type TestServer } from "./server.ts";

/** MariaDB. */
export const mariadb: ServerKind = {
  name: "MariaDB",
  key: "TEST_MARIADB_URL",
  standard: "mariadb://root@127.0.0.1:3306/",
  answers: async (url) =>
    query(url, "select 1").then(
      () => true,
      () => false,
    ),
  start: () => startMariadb(),
  create: async (url) => {
    const name = `limmat_test_${process.pid}_${randomBytes(4).toString("hex")}`;
    await query(url, `create database ${name}`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    const drop = async (): Promise<void> => void (await query(url, `drop database ${name}`));
    return { url: own.href, drop };
  },
};

/** Runs a statement on a connection of its own and gives its rows. */
export async function query(url: string, text: string): Promise<readonly (readonly unknown[])[]> {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const connection = await createConnection({
    host,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(pathname.length > 1 ? { database: pathname.slice(1) } : {}),
    connectTimeout: patience,
    rowsAsArray: true,
  });
  try {
    const rows: unknown = await connection.query(text);
    return Array.isArray(rows) ? (rows as readonly (readonly unknown[])[]) : [];
  } finally {
    await connection.end();
  }
}

/** A server that tests may kill and start again. */
export interface RestartableServer extends TestServer {
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Starts a server of its own in a temporary folder, on a free port; `undefined` when MariaDB is not installed. */
export async function startMariadb(extra: readonly string[] = []): Promise<RestartableServer | undefined> {
  const install = program("mariadb-install-db", "/usr/bin");
  const mariadbd = program("mariadbd", "/usr/sbin", "/usr/libexec");
  if (install === undefined || mariadbd === undefined) return undefined;
  const user = await unprivileged("mysql");
  const folder = mkdtempSync(join(tmpdir(), "limmat-mariadb-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const settings = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${folder}`, "--innodb-flush-log-at-trx-commit=0"];
  await run(install, [...settings, "--skip-test-db", "--auth-root-authentication-method=normal"], user);
  const port = await freePort();
  const url = `mariadb://root@127.0.0.1:${port}/`;
  const args = [
    ...settings,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    `--socket=${join(folder, "mariadb.sock")}`,
    `--pid-file=${join(folder, "mariadb.pid")}`,
    "--skip-name-resolve",
    ...extra,
  ];
  const launch = async (): Promise<ReturnType<typeof daemon>> => {
    const started = daemon(mariadbd, args, user);
    if (!(await eventually(() => mariadb.answers(url)))) throw new Error("MariaDB did not start");
    return started;
  };
  let running = await launch();
  return {
    url,
    kill: () => running.end("SIGKILL"),
    restart: async () => {
      if (running.isRunning()) await running.end("SIGTERM");
      running = await launch();
    },
    stop: async () => {
      if (running.isRunning()) await running.end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
