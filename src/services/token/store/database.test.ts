// Tokens when the database fails during a call, and when it contains very many rows.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, Migration, Time, Token } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
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
  ConfigurationInternals.reset();
});

for (const [name, make] of [
  ["token", (tokenDatabase: Database) => Token.sql({ database: tokenDatabase })],
  ["JWT", (tokenDatabase: Database) => Token.jwt({ database: tokenDatabase })],
] as const) {
  test(`a ${name} that cannot be read is not consumed`, async () => {
    using _ = capturedLog("error");
    let isDown = false;
    const fail = (): Promise<never> => Promise.reject(new Error("down"));
    const token = make({
      ...database,
      findOpt: (...args) => (isDown ? fail() : database.findOpt(...args)),
      collect: (...args) => (isDown ? fail() : database.collect(...args)),
    });
    await Migration.service({ database, migrations: token.migrations }).runAll();
    const text = await token.create({ a: 1 }, api);
    isDown = true;
    await assert.rejects(token.consume(text, api), /down/);
    isDown = false;
    assert.deepEqual((await token.consume(text, api))?.data, { a: 1 });
  });

  test(`expired ${name}s are deleted in batches of 1,000`, async () => {
    using clock = fakeClock();
    using log = capturedLog();
    const token = make(database);
    await Migration.service({ database, migrations: token.migrations }).runAll();
    for (let count = 0; count < 2100; count++) {
      await token.deactivate(await token.create({}, { ...api, expiresInMs: Time.seconds(count + 1) }), api);
    }
    const valid = await token.create({}, { ...api, expiresInMs: Time.days(2) });
    await token.deactivate(valid, api);
    await clock.advance(Time.days(1));
    assert.equal(await token.purge(), 2100);
    const deleted = log.entries.flatMap(({ message, fields }) =>
      message.startsWith("delete") ? [fields["rows"]] : [],
    );
    assert.deepEqual(deleted, [1000, 1000, 100]);
    assert.equal(await token.purge(), 0);
    assert.equal(await token.activate(valid, api), true);
  });
}
