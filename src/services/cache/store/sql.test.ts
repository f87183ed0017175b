import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { App, Cache, Configuration, isError, Migration } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, runCommand } from "limmat/testing";

describe("a cache in a database", () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-cache-sql-"));
  const database = sqlite({ url: join(folder, "test.sqlite") });
  const cache = Cache.sql({ database });
  const sessions = Cache.sql({ database, name: "session_data" });
  let app: App.Application;
  let log: ReturnType<typeof capturedLog>;
  const rows = (name: string): Promise<number> =>
    database.find(sql.value(Row.int)`select count(*) from ${sql.identifier(name, [name])}`);
  const started = async (work: () => Promise<unknown>): Promise<void> => {
    await app.start({ server: false });
    await work().finally(() => app.stop());
  };

  before(async () => {
    log = capturedLog();
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    app = App.create({ services: [cache, sessions, Migration.service({ database })] });
    assert.equal((await runCommand(app, "migrate")).code, 0);
  });
  after(() => {
    ConfigurationInternals.reset();
    log[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  test("has one table per name", () =>
    started(async () => {
      await cache.set("key", "one");
      await sessions.set("key", "two");
      assert.equal(await cache.findOpt("key"), "one");
      await sessions.clear();
      assert.equal(await sessions.findOpt("key"), undefined);
      assert.equal(await cache.findOpt("key"), "one");
      await cache.clear();
    }));

  test("takes part in the surrounding transaction", () =>
    started(async () => {
      const undo = new Error("undo");
      const work = database.transaction(async () => {
        await cache.set("key", "value");
        await cache.increment("count");
        assert.equal(await cache.findOpt("key"), "value");
        throw undo;
      });
      await assert.rejects(work, undo);
      assert.equal(await cache.findOpt("key"), undefined);
      assert.equal(await cache.findOpt("count"), undefined);
      assert.equal(await rows("cache"), 0);
    }));

  test("leaves no rows of locks, computations or deleted entries", () =>
    started(async () => {
      await cache.lock("key", {}, () => cache.getOrSet("key", { expiresInMs: 1000 }, () => "made"));
      assert.equal(await rows("cache"), 1);
      await cache.set("short", "value", { expiresInMs: 0.5 });
      await cache.delete("key");
      await cache.delete("short");
      assert.equal(await rows("cache"), 0);
    }));

  test("reports a missing table instead of computing the value", async () => {
    const forgotten = Cache.sql({ database, name: "forgotten" });
    await started(async () => {
      const value = forgotten.getOrSet("key", { expiresInMs: 1000 }, () => "made");
      await assert.rejects(value, (error) => isError(error, "E_DATABASE_NO_TABLE"));
    });
  });

  test("has commands that remove entries", async () => {
    const call = async (...argv: readonly string[]): Promise<readonly [number, string]> => {
      const { code, stdout } = await runCommand(app, ...argv);
      return [code, stdout];
    };
    await started(async () => {
      for (const key of ["a 1", "a 2", "b", "c"]) await cache.set(key, "value");
    });
    assert.deepEqual(await call("cache.delete", "c"), [0, "Removed."]);
    assert.deepEqual(await call("cache.delete", "c"), [0, "There was no such entry."]);
    assert.deepEqual(await call("cache.clear", "a "), [0, "Removed 2 entries."]);
    assert.deepEqual(await call("cache.clear"), [0, "Removed 1 entry."]);
    assert.deepEqual(await call("cache.purge"), [0, "Removed 0 entries."]);
    for (const wrong of [
      ["cache.delete"],
      ["cache.delete", "a", "b"],
      ["cache.clear", "a", "b"],
      ["cache.clear", "--all"],
      ["cache.purge", "a"],
    ]) {
      assert.equal((await call(...wrong))[0], 2, wrong.join(" "));
    }
  });
});
