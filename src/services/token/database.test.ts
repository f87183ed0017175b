// What happens to tokens when their database fails in between.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, Migration, Token } from "limmat";
import type { Database } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog } from "limmat/testing";

const api = { purpose: "api" };
let database: Database;

beforeEach(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
});
afterEach(async () => {
  await database.stop();
  Configuration.reset();
});

for (const [name, make] of [
  ["token", (of: Database) => Token.sql({ database: of })],
  ["JWT", (of: Database) => Token.jwt({ database: of })],
] as const) {
  test(`a ${name} that the database fails to give is not spent`, async () => {
    using _ = capturedLog("error");
    let isAway = false;
    const away = (): Promise<never> => Promise.reject(new Error("away"));
    const token = make({
      ...database,
      findOpt: (...call) => (isAway ? away() : database.findOpt(...call)),
      collect: (...call) => (isAway ? away() : database.collect(...call)),
    });
    await Migration.service({ database, migrations: token.migrations }).runAll();
    const text = await token.create({ a: 1 }, api);
    isAway = true;
    await assert.rejects(token.consume(text, api), /away/);
    isAway = false;
    assert.deepEqual((await token.consume(text, api))?.data, { a: 1 });
  });
}
