import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { after, before, beforeEach, test } from "node:test";
import { isError } from "../../core/index.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { sqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-sqlite-"));
const url = join(folder, "shared.sqlite");
const started: ChildProcess[] = [];

/** Runs code in another process on the same database. Returns the lines it prints. */
function runInOtherProcess(body: string): { readonly child: ChildProcess; readonly lines: AsyncIterable<string> } {
  const code = `
    import { sqlite } from ${JSON.stringify(new URL("./sqlite.ts", import.meta.url).href)};
    import { sql } from ${JSON.stringify(new URL("../statement/sql.ts", import.meta.url).href)};
    const database = sqlite({ url: ${JSON.stringify(url)} });
    await database.start({ services: [database] });
    ${body}`;
  const child = spawn(process.execPath, ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, FRAMEWORK_ENV: "test" },
  });
  started.push(child);
  return { child, lines: createInterface({ input: child.stdout }) };
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return assert.fail("the other process printed nothing");
}

let database: Database;
const count = sql.value(Row.int)`select count(*) from entries`;

before(async () => {
  database = sqlite({ url, lockTimeoutMs: 300 });
  await database.start({ services: [database] });
  await database.exec(sql`create table entries (id integer primary key, pair integer not null)`);
});
beforeEach(async () => {
  await database.exec(sql`delete from entries`);
});
after(async () => {
  for (const child of started) child.kill("SIGKILL");
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("keeps all committed rows and no partial transaction when a process is killed at any moment", async () => {
  for (let round = 0; round < 10; round++) {
    const { child, lines } = runInOtherProcess(`
      for (let id = ${round * 1_000_000}; ; id += 2) {
        await database.transaction(async () => {
          await database.exec(sql\`insert into entries (id, pair) values (\${id}, \${id})\`);
          await database.exec(sql\`insert into entries (id, pair) values (\${id + 1}, \${id})\`);
        });
        process.stdout.write(id + "\\n");
      }`);
    // Killed after a different number of rows each round, at an arbitrary point of the transaction.
    let committed = -1;
    let rowsUntilKill = 3 + round * 7;
    for await (const line of lines) {
      committed = Number(line);
      if (--rowsUntilKill === 0) child.kill("SIGKILL");
    }
    const ids = await database.collect(
      sql.value(Row.int)`select id from entries where id >= ${round * 1_000_000} order by id`,
    );
    assert.ok(ids.includes(committed) && ids.includes(committed + 1), `round ${round}: ${committed} is stored`);
    assert.equal(ids.length % 2, 0, `round ${round}: pairs are complete`);
    assert.equal(await database.find(sql.value(Row.text)`pragma integrity_check`), "ok");
  }
});

test("waits for the lock of another process without blocking, then fails with a timeout", async () => {
  const { child, lines } = runInOtherProcess(`
    await database.transaction(async () => {
      await database.exec(sql\`insert into entries (id, pair) values (1, 1)\`);
      const alive = setInterval(() => {}, 1000);
      const ended = new Promise((resolve) => process.once("SIGTERM", resolve));
      process.stdout.write("locked\\n");
      await ended;
      clearInterval(alive);
    });
    await database.stop();`);
  assert.equal(await firstLine(lines), "locked");

  const insert = sql`insert into entries (id, pair) values (2, 2)`;
  await assert.rejects(database.exec(insert), (error) => isError(error, "E_DATABASE_LOCK_TIMEOUT"));
  await assert.rejects(
    database.transaction(() => {}),
    (error) => isError(error, "E_DATABASE_LOCK_TIMEOUT"),
  );
  assert.equal(await database.find(count), 0, "reads do not wait");
  assert.equal(database.poolStats().used, 0);

  const waitingDatabase = sqlite({ url, lockTimeoutMs: 600_000, name: "waiting" });
  await waitingDatabase.start({ services: [waitingDatabase] });
  const waiting = waitingDatabase.exec(insert);
  // The event loop goes on during the wait. Otherwise the lock would not be released before the timeout.
  await setImmediate();
  assert.equal(await waitingDatabase.find(count), 0);
  assert.equal(await Promise.race([waiting, setImmediate("waits")]), "waits");
  // Listen before the kill: the child may exit before this process notices that the lock is free.
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  assert.equal(await waiting, 1);
  await exited;
  await waitingDatabase.stop();
  assert.equal(await database.find(count), 2);
});

test("releases a lock when the process that holds it dies", async () => {
  const { child, lines } = runInOtherProcess(`
    await database.transaction(async () => {
      process.stdout.write("locked\\n");
      await new Promise((resolve) => setInterval(resolve, 1_000_000));
    });`);
  await firstLine(lines);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(await database.exec(sql`insert into entries (id, pair) values (1, 1)`), 1);
});

test("reads the new columns of a table that another process has changed", async () => {
  const statement = sql`select * from changing`;
  await database.exec(sql`create table changing (a integer)`);
  await database.exec(sql`insert into changing values (1)`);
  assert.deepEqual(await database.find(statement), { a: 1 });
  const { child } = runInOtherProcess(`
    await database.exec(sql\`alter table changing add column b text default 'new'\`);
    await database.stop();`);
  await once(child, "exit");
  assert.deepEqual(await database.find(statement), { a: 1, b: "new" });
  await database.exec(sql`alter table changing rename column a to c`);
  assert.deepEqual(await database.find(statement), { c: 1, b: "new" });
});
