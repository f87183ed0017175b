import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { error, ok } from "../core/index.ts";
import { attempt } from "./attempt.ts";
import { type Database, Row, sql } from "./index.ts";
import { sqlite } from "./sqlite/index.ts";

let database: Database;
beforeEach(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
  await database.exec(sql`create table authors (id integer primary key, name text not null unique)`);
  await database.exec(
    sql`create table books (id integer primary key, author_id integer not null references authors (id),
      shelf integer, place integer, unique (shelf, place))`,
  );
});
afterEach(async () => {
  await database.stop();
  ConfigurationInternals.reset();
});

const refusals = {
  noRow: "gone",
  foreignKey: { author_id: "missing" },
  unique: [
    { columns: ["name"], refusal: { name: "taken" } },
    { columns: ["place", "shelf"], refusal: { place: "occupied" } },
  ],
} as const;
const insertAuthor = (): Promise<number> => database.exec(sql`insert into authors (id, name) values (1, 'Spyri')`);
const insertBook = (authorId: number): Promise<number> =>
  database.exec(sql`insert into books (author_id, shelf, place) values (${authorId}, 1, 1)`);
const countAuthors = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from authors`);

test("a write returns its value, or the error for the constraint that it violates", async () => {
  assert.deepEqual(await attempt(database, insertAuthor, refusals), ok(1));
  const same = (): Promise<number> => database.exec(sql`insert into authors (name) values ('Spyri')`);
  assert.deepEqual(await attempt(database, same, refusals), error({ name: "taken" }));
  assert.deepEqual(await attempt(database, () => insertBook(2), refusals), error({ author_id: "missing" }));
  assert.deepEqual(await attempt(database, () => insertBook(1), refusals), ok(1));
  assert.deepEqual(await attempt(database, () => insertBook(1), refusals), error({ place: "occupied" }));
  const findAuthor = (): Promise<number> => database.find(sql.value(Row.int)`select id from authors where id = 2`);
  assert.deepEqual(await attempt(database, findAuthor, refusals), error("gone"));
});

test("a violation is undone, and an outer transaction continues", async () => {
  await database.transaction(async () => {
    await insertAuthor();
    const outcome = await attempt(
      database,
      async () => {
        await database.exec(sql`insert into authors (name) values ('Kästner')`);
        await insertBook(3);
      },
      refusals,
    );
    assert.deepEqual(outcome, error({ author_id: "missing" }));
  });
  assert.equal(await countAuthors(), 1);
});

test("what has no error is thrown", async () => {
  await insertAuthor();
  await assert.rejects(attempt(database, insertAuthor, { noRow: "gone" }), { code: "E_DATABASE_UNIQUE" });
  const fail = async (): Promise<void> => {
    throw new TypeError("a defect");
  };
  await assert.rejects(attempt(database, fail, refusals), TypeError);
});
