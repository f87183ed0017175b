import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration } from "../config/index.ts";
import { refuses } from "../testing/database/assert-code.ts";
import type { Database } from "./database.ts";
import * as Row from "./row.ts";
import { sql } from "./sql.ts";
import { sqlite } from "./sqlite/index.ts";

const started = new Set<Database>();
const start = async (database: Database): Promise<Database> => {
  await database.start({ services: [database] });
  started.add(database);
  return database;
};

beforeEach(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));
afterEach(async () => {
  for (const database of started) await database.stop();
  started.clear();
  Configuration.reset();
});

const one = sql.value(Row.int)`select 1 as v`;

test("the configuration names the keys, each with its type and default", () => {
  assert.deepEqual(
    sqlite().configuration.map((field) => [field.key, field.type, field.default("production")]),
    [
      ["DATABASE_URL", "secret", "database/production.sqlite"],
      ["DATABASE_POOL_SIZE", "whole number from 1 to 10000", 10],
      ["DATABASE_SKIP_DEFAULT_POOL_CREATION", "true or false", false],
      ["DATABASE_CHOOSE_POOL", "string", undefined],
    ],
  );
});
test("a second database reads keys of its own, and one with a URL in the code reads none for it", () => {
  const keys = (database: Database): readonly string[] => database.configuration.map(({ key }) => key);
  assert.ok(keys(sqlite({ name: "reports", prefix: "REPORTS" })).every((key) => key.startsWith("REPORTS_")));
  assert.ok(!keys(sqlite({ url: ":memory:" })).includes("DATABASE_URL"));
});
for (const size of ["0", "-1", "1e9", "ten", " 5"]) {
  test(`a pool size of ${JSON.stringify(size)} ends the start`, async () => {
    Configuration.store([["DATABASE_POOL_SIZE", size]]);
    await refuses("E_CONFIGURATION_INVALID", () => start(sqlite({ url: ":memory:" })));
  });
}

test("without a default pool, a call must name one that was added", async () => {
  Configuration.store([["DATABASE_SKIP_DEFAULT_POOL_CREATION", "true"]]);
  const database = await start(sqlite());
  await refuses("E_DATABASE_POOL_DEFAULT_MISSING", () => database.find(one));
  await database.addPool({ name: "own", url: ":memory:" });
  assert.equal(await database.find(one, { ctx: [["pool", "own"]] }), 1);
});
test("DATABASE_CHOOSE_POOL names the pool of calls that name none, and an unknown one is an error", async () => {
  Configuration.store([["DATABASE_CHOOSE_POOL", "own"]]);
  const database = await start(sqlite({ url: ":memory:" }));
  await refuses("E_DATABASE_POOL_UNKNOWN", () => database.find(one));
  await database.addPool({ name: "own", url: ":memory:" });
  await database.exec(sql`create table here (id integer)`);
  assert.deepEqual(await database.collect(sql`select * from here`, { ctx: [["pool", "own"]] }), []);
});
test("a start that fails leaves nothing open and can be tried again", async () => {
  const database = sqlite({ url: "/dev/null/no-such-folder/a.sqlite" });
  await assert.rejects(async () => database.start({ services: [database] }));
  await refuses("E_DATABASE_NOT_STARTED", () => database.find(one));
});
