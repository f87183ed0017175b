// What happens to tokens when their database fails in between, and when it holds very many.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, Migration, Time, Token } from "limmat";
import type { Database } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock } from "limmat/testing";

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

  test(`however many ${name}s are expired, no statement that deletes them is about more than a thousand`, async () => {
    using clock = fakeClock();
    using log = capturedLog();
    const token = make(database);
    await Migration.service({ database, migrations: token.migrations }).runAll();
    for (let count = 0; count < 2100; count++) {
      await token.deactivate(await token.create({}, { ...api, expiresIn: Time.seconds(count + 1) }), api);
    }
    const kept = await token.create({}, { ...api, expiresIn: Time.days(2) });
    await token.deactivate(kept, api);
    await clock.advance(Time.days(1));
    assert.equal(await token.purge(), 2100);
    const deleted = log.entries.flatMap(({ message, fields }) =>
      message.startsWith("delete") ? [fields["rows"]] : [],
    );
    assert.deepEqual(deleted, [1000, 1000, 100]);
    assert.equal(await token.purge(), 0);
    assert.equal(await token.activate(kept, api), true);
  });
}
