import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { rejectsWithCode } from "../testing/assert-error-code.ts";
import type { Database } from "./database.ts";
import * as Row from "./row/row.ts";
import { sql } from "./statement/sql.ts";
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
  ConfigurationInternals.reset();
});

const selectOne = sql.value(Row.int)`select 1 as v`;

test("lists its configuration keys with type and default", () => {
  const { SecretText } = ConfigurationInternals;
  const revealed = (value: unknown): unknown => (value instanceof SecretText ? value.reveal() : value);
  assert.deepEqual(
    sqlite().configuration.map((field) => [field.key, field.type, revealed(field.default("production"))]),
    [
      ["DATABASE_URL", "secret", "database/production.sqlite"],
      ["DATABASE_POOL_SIZE", "whole number from 1 to 10000", 10],
      ["DATABASE_POOL_WAITING", "whole number from 1 to 1000000", 10_000],
      ["DATABASE_SKIP_DEFAULT_POOL_CREATION", "true or false", false],
      ["DATABASE_CHOOSE_POOL", "string", undefined],
    ],
  );
});
test("reads keys with its own prefix, and no URL key if the URL is set in code", () => {
  const keys = (database: Database): readonly string[] => database.configuration.map(({ key }) => key);
  assert.ok(keys(sqlite({ name: "reports", prefix: "REPORTS" })).every((key) => key.startsWith("REPORTS_")));
  assert.ok(!keys(sqlite({ url: ":memory:" })).includes("DATABASE_URL"));
});
for (const size of ["0", "-1", "1e9", "ten", " 5"]) {
  test(`refuses to start with the pool size ${JSON.stringify(size)}`, async () => {
    Configuration.store([["DATABASE_POOL_SIZE", size]]);
    await rejectsWithCode("E_CONFIGURATION_INVALID", () => start(sqlite({ url: ":memory:" })));
  });
}

test("requires calls to name a pool if there is no default pool", async () => {
  Configuration.store([["DATABASE_SKIP_DEFAULT_POOL_CREATION", "true"]]);
  const database = await start(sqlite());
  await rejectsWithCode("E_DATABASE_POOL_DEFAULT_MISSING", () => database.find(selectOne));
  await database.addPool({ name: "own", url: ":memory:" });
  assert.equal(await database.find(selectOne, { ctx: [["pool", "own"]] }), 1);
});
test("uses the pool of DATABASE_CHOOSE_POOL for calls that name none, and throws if it is unknown", async () => {
  Configuration.store([["DATABASE_CHOOSE_POOL", "own"]]);
  const database = await start(sqlite({ url: ":memory:" }));
  await rejectsWithCode("E_DATABASE_POOL_UNKNOWN", () => database.find(selectOne));
  await database.addPool({ name: "own", url: ":memory:" });
  await database.exec(sql`create table here (id integer)`);
  assert.deepEqual(await database.collect(sql`select * from here`, { ctx: [["pool", "own"]] }), []);
});
test("reports that it is not started after a failed start", async () => {
  const database = sqlite({ url: "/dev/null/no-such-folder/a.sqlite" });
  await assert.rejects(async () => database.start({ services: [database] }));
  await rejectsWithCode("E_DATABASE_NOT_STARTED", () => database.find(selectOne));
});
