// What a test of a project empties before it begins, and what it must not touch.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { App, Cache, Cleaner, Configuration, Email, Migration, Storage } from "limmat";
import { sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { smtp } from "limmat/email/smtp";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

const folder = mkdtempSync(join(tmpdir(), "limmat-cleaners-"));
const database = sqlite();
const memoryCache = Cache.memory();
const sqlCache = Cache.sql({ database, name: "shared_cache" });
const memoryFiles = Storage.memory();
const files = Storage.disk({ directory: folder, name: "files" });
const captured = smtp();
const inbox = Email.memory({ name: "inbox" });
const migration = Migration.service({ database, migrations: [] });
const services = [database, migration, memoryCache, sqlCache, memoryFiles, files, captured, inbox];
const app = App.create({ services });

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

test("cleaners of memory empty caches, storages and inboxes in memory, and leave databases and files as they are", async () => {
  const mail = { sender: "ada@example.com", recipient: "bob@example.com", subject: "Hello", text: "Hello" };
  const content = new Uint8Array([1]);
  await database.exec(sql`create table notes (id integer)`);
  await database.exec(sql`insert into notes values (1)`);
  for (const cache of [memoryCache, sqlCache]) await cache.set("key", "value");
  const stored = [await memoryFiles.put(content), await files.put(content)] as const;
  for (const email of [captured, inbox]) await email.send(mail);

  await Cleaner.cleanAll({ onlyMemory: true });

  assert.deepEqual([await memoryCache.findOpt("key"), await sqlCache.findOpt("key")], [undefined, "value"]);
  assert.equal(await memoryFiles.findOpt(stored[0].id), undefined);
  assert.equal((await files.findOpt(stored[1].id))?.size, 1);
  assert.deepEqual([captured.inbox.to("bob@example.com"), inbox.inbox.to("bob@example.com")], [[], []]);
  assert.equal(await database.exec(sql`delete from notes`), 1);
});

test("cleaners of memory forget the refusals of a rate limit whose counts a rollback has undone", async () => {
  const limit = { limit: 1, periodMs: 60_000 };
  const undo = new Error("undone");
  const useUp = database.transaction(async () => {
    assert.equal((await sqlCache.consume("login", limit)).isAllowed, true);
    assert.equal((await sqlCache.consume("login", limit)).isAllowed, false);
    throw undo;
  });
  await assert.rejects(useUp, undo);
  await Cleaner.cleanAll({ onlyMemory: true });
  assert.equal((await sqlCache.consume("login", limit)).isAllowed, true);
});
