import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "../app/index.ts";
import { Row, sql } from "../database/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import * as Web from "../web/index.ts";
import {
  assertNoRow,
  assertRow,
  assertRowCount,
  capturedQueries,
  configuration,
  forbidRepeatedQueries,
  queryLimit,
} from "./index.ts";

const database = sqlite({ url: ":memory:" });
const names = ["Ada", "Bob", "Eve"];

const findOne = (name: string): Promise<unknown> => database.find(sql`select name from people where name = ${name}`);
const router = Web.choose(
  [
    Web.get("/repeated", async () => {
      for (const name of names) await findOne(name);
      return Web.Response.text("ok");
    }),
    Web.get("/once", async () => {
      await database.collect(sql`select name from people`);
      return Web.Response.text("ok");
    }),
  ],
  { middlewares: Web.Middleware.api() },
);
const app = App.create({ services: [database, Web.Http.service({ router })] });

using _ = configuration({ FRAMEWORK_ENV: "test" });
before(async () => {
  await app.start({ server: false });
  await database.exec(sql`create table people (name text, age integer, secret text)`);
  for (const name of names) await database.exec(sql`insert into people (name, age) values (${name}, ${name.length})`);
});
after(() => app.stop());

const isAssertion = (error: unknown): error is assert.AssertionError => error instanceof assert.AssertionError;

test("queryLimit returns the value of a callback within the limit, and fails beyond it with the statements", async () => {
  assert.equal(await queryLimit(1, () => database.find(sql.value(Row.int)`select 7`)), 7);
  await assert.rejects(
    queryLimit(2, () => app.request("/repeated")),
    (error) => {
      assert.ok(isAssertion(error));
      assert.match(error.message, /^3 statements ran, and at most 2 were expected:/);
      assert.match(
        error.message,
        /3\. select name from people where name = \?\n +at findOne \(.*queries\.test\.ts:\d+/s,
      );
      return true;
    },
  );
});
test("queryLimit counts statements of transactions, streams and nested limits, and none beside it", async () => {
  const run = (): Promise<void> =>
    database.transaction(async (handle) => {
      await handle.collect(sql`select 1`);
      for await (const __ of handle.stream(sql`select 2`));
      await queryLimit(1, () => findOne("Ada"));
    });
  await Promise.all([queryLimit(3, run), findOne("Bob")]);
  await assert.rejects(queryLimit(2, run), isAssertion);
});
test("queryLimit passes errors of the callback on", async () => {
  const failure = new Error("own");
  await assert.rejects(
    queryLimit(0, async () => {
      await findOne("Ada");
      throw failure;
    }),
    failure,
  );
});
test("capturedQueries captures statements with their places until the end of its scope", async () => {
  const entries = await (async () => {
    using queries = capturedQueries();
    await database.exec(sql`update people
      set age = age`);
    return queries.entries;
  })();
  await findOne("Ada");
  assert.deepEqual(
    entries.map(({ text }) => text),
    ["update people set age = age"],
  );
  assert.match(entries[0]?.at ?? "", /queries\.test\.ts:\d+/);
});

async function requestWithGuard(max: number | undefined, ...paths: readonly string[]): Promise<void> {
  using __ = forbidRepeatedQueries(max === undefined ? {} : { max });
  for (const path of paths) assert.equal((await app.request(path)).status, 200);
}
test("forbidRepeatedQueries fails if one request repeats a statement, with its place", async () => {
  await assert.rejects(requestWithGuard(undefined, "/repeated"), (error) => {
    assert.ok(isAssertion(error));
    assert.match(error.message, /3 times: select name from people where name = \?/);
    assert.match(error.message, /queries\.test\.ts:\d+/);
    return true;
  });
  await requestWithGuard(3, "/repeated");
});
test("forbidRepeatedQueries counts each request alone, and nothing outside of requests", async () => {
  await requestWithGuard(undefined, "/once", "/once", "/once", "/once");
  {
    using __ = forbidRepeatedQueries();
    for (let run = 0; run < 5; run++) await findOne("Ada");
  }
});

const people = {
  name: "people",
  where: ({ name }: { readonly name: string }) => sql`name = ${name}`,
};
test("assertRow, assertNoRow and assertRowCount pass for rows that match", async () => {
  await assertRow(database, "people", { name: "Ada", age: 3, secret: null });
  await assertRow(database, "people", { name: ["Nobody", "Bob"] });
  await assertRow(database, people, { name: "Eve" });
  await assertNoRow(database, "people", { name: "Ada", age: 4 });
  await assertNoRow(database, people, { name: "Nobody" });
  await assertNoRow(database, "people", { name: [] });
  await assertRowCount(database, "people", 3);
  await assertRowCount(database, people, 1, { name: "Eve" });
  await assertRowCount(database, "people", 2, { name: ["Ada", "Bob"] });
});
test("the assertions show what exists", async () => {
  const messageOf = async (run: Promise<void>): Promise<string> =>
    run.then(
      () => assert.fail("no error"),
      (error: unknown) => (isAssertion(error) ? error.message : String(error)),
    );
  assert.equal(
    await messageOf(assertRow(database, "people", { name: "Ada", age: 4 })),
    'No row of "people" has {"name":"Ada","age":4}. Rows of the table:\n  {"name":"Ada","age":3}\n  {"name":"Bob","age":3}\n  {"name":"Eve","age":3}',
  );
  assert.match(
    await messageOf(assertNoRow(database, people, { name: "Ada" })),
    /^A row of "people" should not exist with/,
  );
  assert.match(await messageOf(assertRowCount(database, "people", 4)), /^"people" has 3 rows, and 4 were expected/);
  await database.exec(sql`create table empty (x integer)`);
  assert.match(await messageOf(assertRow(database, "empty", { x: 1 })), /The table is empty/);
});
test("names of tables and columns cannot contain SQL", async () => {
  await assert.rejects(assertRowCount(database, "people; drop table people", 0), { code: "E_SQL_IDENTIFIER" });
  await assert.rejects(assertRow(database, "people", { "1 = 1 or name": "x" }), { code: "E_SQL_IDENTIFIER" });
});
