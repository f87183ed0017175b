import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { error, ok } from "../core/index.ts";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { withServer } from "../../test/servers/server.ts";
import { attempt } from "./attempt.ts";
import { type Database, Row, sql } from "./index.ts";
import { mariadb } from "./mariadb/index.ts";
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

await withServer(mariadbServer, ({ url }) => {
  test("MariaDB: the names of constraints lead to their columns, also those of later migrations", async () => {
    const server = mariadb({ url });
    await server.start({ services: [] });
    await using _ = { [Symbol.asyncDispose]: async () => await server.stop() };
    await server.exec(sql`create table shelves (id int primary key auto_increment, name varchar(9) not null unique,
      first_name varchar(9), place int)`);
    await server.exec(sql`create unique index shelves_first_name on shelves (first_name)`);
    await server.exec(sql`create unique index one_place on shelves (place)`);
    const unique = [
      { columns: ["name"], refusal: "name" },
      { columns: ["first_name"], refusal: "first name" },
    ] as const;
    const insert = (name: string, firstName: string, place: number) => () =>
      server.exec(sql`insert into shelves (name, first_name, place) values (${name}, ${firstName}, ${place})`);
    assert.deepEqual(await attempt(server, insert("a", "b", 1), { unique }), ok(1));
    assert.deepEqual(await attempt(server, insert("a", "c", 2), { unique }), error("name"));
    assert.deepEqual(await attempt(server, insert("c", "b", 2), { unique }), error("first name"));
    await assert.rejects(attempt(server, insert("c", "c", 1), { unique }), { code: "E_DATABASE_UNIQUE" });
    const place = [{ columns: ["place"], refusal: "place" }] as const;
    assert.deepEqual(await attempt(server, insert("c", "c", 1), { unique: place }), error("place"));
  });
});

test("what has no error is thrown", async () => {
  await insertAuthor();
  await assert.rejects(attempt(database, insertAuthor, { noRow: "gone" }), { code: "E_DATABASE_UNIQUE" });
  const fail = async (): Promise<void> => {
    throw new TypeError("a defect");
  };
  await assert.rejects(attempt(database, fail, refusals), TypeError);
});
