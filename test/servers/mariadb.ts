import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnection } from "mariadb";
import { startDaemon, waitUntil, freePort, findProgram, runProgram, unprivilegedUser } from "./process.ts";
import { serverTimeoutMs, type RestartableServer, type ServerKind } from "./server.ts";

/** MariaDB server. */
export const mariadb: ServerKind = {
  name: "MariaDB",
  urlVariable: "TEST_MARIADB_URL",
  defaultUrl: "mariadb://root@127.0.0.1:3306/",
  isReachable: async (url) =>
    queryRows(url, "select 1").then(
      () => true,
      () => false,
    ),
  start: () => startMariadb(),
  createDatabase: async (url) => {
    const name = `limmat_test_${process.pid}_${randomBytes(4).toString("hex")}`;
    await queryRows(url, `create database ${name}`);
    const databaseUrl = new URL(url);
    databaseUrl.pathname = `/${name}`;
    const drop = async (): Promise<void> => void (await queryRows(url, `drop database ${name}`));
    return { url: databaseUrl.href, drop };
  },
};

/** Runs a statement on a new connection and returns its rows. */
export async function queryRows(url: string, text: string): Promise<readonly (readonly unknown[])[]> {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const connection = await createConnection({
    host,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(pathname.length > 1 ? { database: pathname.slice(1) } : {}),
    connectTimeout: serverTimeoutMs,
    rowsAsArray: true,
  });
  try {
    const rows: unknown = await connection.query(text);
    return Array.isArray(rows) ? (rows as readonly (readonly unknown[])[]) : [];
  } finally {
    await connection.end();
  }
}

/** Starts a temporary server on a free port. Returns `undefined` if MariaDB is not installed. */
export async function startMariadb(extraArguments: readonly string[] = []): Promise<RestartableServer | undefined> {
  const install = findProgram("mariadb-install-db", "/usr/bin");
  const mariadbd = findProgram("mariadbd", "/usr/sbin", "/usr/libexec");
  if (install === undefined || mariadbd === undefined) return undefined;
  const user = await unprivilegedUser("mysql");
  const folder = mkdtempSync(join(tmpdir(), "limmat-mariadb-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const settings = ["--no-defaults", `--datadir=${data}`, `--tmpdir=${folder}`, "--innodb-flush-log-at-trx-commit=0"];
  await runProgram(install, [...settings, "--skip-test-db", "--auth-root-authentication-method=normal"], user);
  const port = await freePort();
  const url = `mariadb://root@127.0.0.1:${port}/`;
  const args = [
    ...settings,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    `--socket=${join(folder, "mariadb.sock")}`,
    `--pid-file=${join(folder, "mariadb.pid")}`,
    "--skip-name-resolve",
    ...extraArguments,
  ];
  const launchServer = async (): Promise<ReturnType<typeof startDaemon>> => {
    const started = startDaemon(mariadbd, args, user);
    if (!(await waitUntil(() => mariadb.isReachable(url)))) throw new Error("MariaDB did not start");
    return started;
  };
  let daemon = await launchServer();
  return {
    url,
    kill: () => daemon.stop("SIGKILL"),
    restart: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGTERM");
      daemon = await launchServer();
    },
    stop: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
