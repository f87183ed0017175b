import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Row, sql } from "../database/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { rolledBack } from "./rolled-back.ts";

const database = sqlite({ url: ":memory:" });
const count = sql.value(Row.int)`select count(*) from notes`;

before(async () => {
  await database.start({ services: [database] });
  await database.exec(sql`create table notes (id integer primary key)`);
});
after(() => database.stop());

test("changes are visible in the test, invisible to concurrent tests, and gone afterwards", async () => {
  const counts = await Promise.all(
    [1, 2, 3].map((id) =>
      rolledBack(database, async () => {
        await database.transaction(() => database.exec(sql`insert into notes values (${id})`));
        return database.find(count);
      }),
    ),
  );
  assert.deepEqual(counts, [1, 1, 1]);
  assert.equal(await database.find(count), 0);
});

test("an error of the callback is rethrown, and its changes are rolled back", async () => {
  const failed = rolledBack(database, async () => {
    await database.exec(sql`insert into notes values (1)`);
    throw new Error("failed");
  });
  await assert.rejects(failed, /failed/);
  assert.equal(await database.find(count), 0);
});
