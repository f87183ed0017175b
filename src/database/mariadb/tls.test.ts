import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { query, startMariadb } from "../../../test/servers/mariadb.ts";
import { eventually, program } from "../../../test/servers/process.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { assertCode, refuses } from "../../testing/database/assert-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
import { mariadb } from "./mariadb.ts";

const openssl = program("openssl");
const folder = mkdtempSync(join(tmpdir(), "limmat-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** An authority, and a certificate for `localhost` that it signed. */
function makeCertificates(tool: string): void {
  const run = (line: string): void => void execFileSync(tool, line.split(" "), { cwd: folder, stdio: "ignore" });
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost\n");
  run("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority");
  run("req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost");
  run("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names");
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "server.key"), 0o644);
}

test("an encrypted connection checks the server, and fails as others do", async (t) => {
  if (openssl === undefined) {
    t.skip("openssl is not installed");
    return;
  }
  makeCertificates(openssl);
  const file = (name: string): string => join(folder, name);
  const keys = [`--ssl-ca=${file("ca.pem")}`, `--ssl-cert=${file("server.pem")}`, `--ssl-key=${file("server.key")}`];
  const server = await startMariadb(keys);
  if (server === undefined) {
    t.skip("MariaDB is not installed");
    return;
  }
  const port = Number(new URL(server.url).port);
  const proxy = await startProxy("127.0.0.1", port);
  const start = async (at: string, mode: string): Promise<Database> => {
    const url = `mariadb://root@${at}/app?sslmode=${mode}`;
    const database = mariadb({ url, statementTimeout: 3000, drainTimeout: 100 });
    await database.start({ services: [database] });
    t.after(() => database.stop());
    return database;
  };
  const cipher = sql.row(Row.record({ Value: Row.text }))`show status like 'ssl_cipher'`;
  const known = `verify-full&sslrootcert=${file("ca.pem")}`;
  try {
    await query(server.url, "create database app");
    const accepted: readonly (readonly [at: string, mode: string])[] = [
      [`localhost:${port}`, known],
      [`127.0.0.1:${port}`, `verify-ca&sslrootcert=${file("ca.pem")}`],
      [`127.0.0.1:${port}`, "require"],
    ];
    for (const [at, mode] of accepted) {
      const database = await start(at, mode);
      assert.match((await database.find(cipher)).Value, /^TLS_/, mode);
      await database.stop();
    }
    const unknown = await assertCode("E_DATABASE_CONNECT", () => start(`localhost:${port}`, "verify-full"));
    assert.match(unknown.message, /self-signed/);
    const other = await assertCode("E_DATABASE_CONNECT", () => start(`127.0.0.1:${port}`, known));
    assert.match(other.message, /does not match certificate/);

    const database = await start(`127.0.0.1:${proxy.port}`, "require");
    const work = async (): Promise<void> => {
      await database.exec(sql`do 1`);
      proxy.cut();
      await database.exec(sql`do 2`);
    };
    await refuses("E_DATABASE_CONNECTION_LOST", () => database.transaction(work));
    assert.deepEqual(await database.find(sql`select 1 as v`), { v: 1 });
    await refuses("E_DATABASE_TIMEOUT", () => database.exec(sql`do sleep(30)`));
    const stopped = refuses("E_DATABASE_CONNECTION_LOST", () => database.exec(sql`do sleep(600)`));
    const sleeps = async (): Promise<boolean> =>
      (await query(server.url, "select id from information_schema.processlist where info like 'do sleep%'")).length > 0;
    assert.ok(await eventually(sleeps));
    await database.stop();
    await stopped;
    // The server hears of it some time later, and would sleep for minutes otherwise.
    assert.ok(await eventually(async () => !(await sleeps())));
  } finally {
    await proxy.close();
    await server.stop();
  }
});
