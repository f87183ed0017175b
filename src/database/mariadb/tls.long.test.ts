import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { queryRows, startMariadb } from "../../../test/servers/mariadb.ts";
import { waitUntil, findProgram } from "../../../test/servers/process.ts";
import { startFaultyProxy } from "../../../test/servers/proxy.ts";
import { assertErrorCode, rejectsWithCode } from "../../testing/assert-error-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { mariadb } from "./mariadb.ts";

const openssl = findProgram("openssl");
const folder = mkdtempSync(join(tmpdir(), "limmat-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a certificate authority and a certificate for `localhost` signed by it. */
function makeCertificates(tool: string): void {
  const run = (line: string): void => void execFileSync(tool, line.split(" "), { cwd: folder, stdio: "ignore" });
  writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost\n");
  run("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority");
  run("req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost");
  run("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names");
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "server.key"), 0o644);
}

test("verifies the server on an encrypted connection, and reports failures like other connections", async (t) => {
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
  const proxy = await startFaultyProxy("127.0.0.1", port);
  const start = async (address: string, mode: string, statementTimeoutMs = 600_000): Promise<Database> => {
    const url = `mariadb://root@${address}/app?sslmode=${mode}`;
    const database = mariadb({ url, statementTimeoutMs, connectTimeoutMs: 120_000, drainTimeoutMs: 100 });
    await database.start({ services: [database] });
    t.after(() => database.stop());
    return database;
  };
  const cipher = sql.row(Row.record({ Value: Row.text }))`show status like 'ssl_cipher'`;
  const verified = `verify-full&sslrootcert=${file("ca.pem")}`;
  try {
    await queryRows(server.url, "create database app");
    const accepted: readonly (readonly [address: string, mode: string])[] = [
      [`localhost:${port}`, verified],
      [`127.0.0.1:${port}`, `verify-ca&sslrootcert=${file("ca.pem")}`],
      [`127.0.0.1:${port}`, "require"],
    ];
    for (const [address, mode] of accepted) {
      const database = await start(address, mode);
      assert.match((await database.find(cipher)).Value, /^TLS_/, mode);
      await database.stop();
    }
    const untrusted = await assertErrorCode("E_DATABASE_CONNECT", () => start(`localhost:${port}`, "verify-full"));
    assert.match(untrusted.message, /self-signed/);
    const mismatch = await assertErrorCode("E_DATABASE_CONNECT", () => start(`127.0.0.1:${port}`, verified));
    assert.match(mismatch.message, /does not match certificate/);

    const database = await start(`127.0.0.1:${proxy.port}`, "require");
    const work = async (): Promise<void> => {
      await database.exec(sql`do 1`);
      proxy.resetConnections();
      await database.exec(sql`do 2`);
    };
    await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => database.transaction(work));
    assert.deepEqual(await database.find(sql`select 1 as v`), { v: 1 });
    // The timeout is long enough for the start on a machine that stands still for seconds.
    const limited = await start(`127.0.0.1:${proxy.port}`, "require", 8000);
    await rejectsWithCode("E_DATABASE_TIMEOUT", () => limited.exec(sql`do sleep(600)`));
    const stopped = rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => database.exec(sql`do sleep(3600)`));
    const isSleeping = async (): Promise<boolean> =>
      (await queryRows(server.url, "select id from information_schema.processlist where info like 'do sleep(3600)%'"))
        .length > 0;
    assert.ok(await waitUntil(isSleeping));
    await database.stop();
    await stopped;
    // The KILL takes effect shortly after the stop. Without it, the server would sleep for an hour.
    assert.ok(await waitUntil(async () => !(await isSleeping())));
  } finally {
    await proxy.close();
    await server.stop();
  }
});
