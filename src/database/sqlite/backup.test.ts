import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { App } from "../../app/index.ts";
import { fakeClock, runCommand } from "../../testing/index.ts";
import { Time } from "../../time/index.ts";
import { sql } from "../statement/sql.ts";
import { sqlite } from "./sqlite.ts";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "limmat-backup-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const countRows = (path: string): unknown => {
  using copy = new DatabaseSync(path, { readOnly: true });
  return copy.prepare("select count(*) as count from todos").get()?.["count"];
};

test("copies a database while a transaction writes, without the uncommitted rows, readable by its owner only", async (t) => {
  const folder = temporaryFolder(t);
  const database = sqlite({ url: join(folder, "app.sqlite") });
  const app = App.create({ services: [database] });
  await app.start();
  t.after(() => app.stop());
  await database.exec(sql`create table todos (title text)`);
  await database.exec(sql`insert into todos values ('a'), ('b')`);
  const backups = join(folder, "backups");
  const { code, stdout, stderr } = await database.transaction(async () => {
    await database.exec(sql`insert into todos values ('c')`);
    return runCommand(App.create({ services: [database] }), "database.backup", backups);
  });
  assert.equal(code, 0, stderr);
  assert.equal(countRows(stdout), 2);
  assert.deepEqual(
    readdirSync(backups).map((name) => join(backups, name)),
    [stdout],
  );
  assert.deepEqual([statSync(stdout).mode & 0o777, statSync(backups).mode & 0o777], [0o600, 0o700]);
});

test("keeps the latest copies, and no file of others", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "app.sqlite");
  new DatabaseSync(path).exec("create table todos (title text)");
  const backups = join(folder, "backups");
  const app = App.create({ services: [sqlite({ url: path, name: "todos" })] });
  using clock = fakeClock(new Date("2026-11-23T03:17:00.000Z"));
  const names: string[] = [];
  for (let day = 1; day <= 4; day += 1) {
    const { code, stdout, stderr } = await runCommand(app, "todos.backup", backups, "--keep", "2");
    assert.equal(code, 0, stderr);
    names.push(stdout);
    if (day === 1) writeFileSync(join(backups, "app-notes.sqlite"), "");
    await clock.advance(Time.days(1));
  }
  assert.deepEqual(
    names.map((name) => existsSync(name)),
    [false, false, true, true],
  );
  assert.match(names.at(-1) ?? "", /app-20261126T031700Z\.sqlite$/);
  assert.ok(existsSync(join(backups, "app-notes.sqlite")));
});

test("reports a database without a file, and leaves no file behind", async (t) => {
  const folder = temporaryFolder(t);
  const damaged = join(folder, "damaged.sqlite");
  writeFileSync(damaged, "no database, but a text that is long enough to have the header of one");
  const backups = join(folder, "backups");
  for (const [url, reason] of [
    [":memory:", /in memory/],
    [join(folder, "missing.sqlite"), /missing\.sqlite does not exist/],
    [damaged, /not a database/],
  ] as const) {
    const { code, stderr } = await runCommand(App.create({ services: [sqlite({ url })] }), "database.backup", backups);
    assert.equal(code, 1);
    assert.match(stderr, /E_DATABASE_BACKUP/);
    assert.match(stderr, reason);
  }
  assert.ok(!existsSync(join(folder, "missing.sqlite")));
  assert.deepEqual(existsSync(backups) ? readdirSync(backups) : [], []);
});

test("refuses wrong arguments", async () => {
  const app = App.create({ services: [sqlite({ url: ":memory:" })] });
  for (const args of [[], ["a", "b"], ["a", "--keep", "0"], ["a", "--keep", "x"]]) {
    assert.equal((await runCommand(app, "database.backup", ...args)).code, 2, args.join(" "));
  }
});
