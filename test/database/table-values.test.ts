// Values of the columns of a table: each is stored, found and ordered in the same way on SQLite, PostgreSQL and MariaDB.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Configuration, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { hostileText } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const everything = Table.make("everything", {
  schema: Schema.record({
    string: Schema.string(),
    text: Schema.text(),
    int: Schema.int(),
    float: Schema.float(),
    decimal: Schema.decimal({ precision: 20, scale: 4 }),
    bool: Schema.bool(),
    date: Schema.date(),
    datetime: Schema.datetime(),
    uuid: Schema.uuid(),
    kind: Schema.oneOf(["it's", 'a "b"', "back\\slash"]),
    json: Schema.json(),
    tags: Schema.list(Schema.string()),
    days: Schema.list(Schema.datetime()),
    address: Schema.record({ street: Schema.string(), since: Schema.datetime() }),
    maybe: Schema.optional(Schema.list(Schema.int())),
  }),
  columns: {
    bytes: Row.bytes,
    big: Row.bigint,
    nothing: Row.nullable(Row.int),
    absent: Row.optional(Row.text),
    price: Row.decimal,
  },
});
const ranked = Table.make("ranked", {
  schema: Schema.record({ name: Schema.string(), rank: Schema.decimal() }),
  unique: [["name"], ["rank"]],
  search: { sortBy: ["rank"], filterBy: ["rank"] },
});

const everyValue: Parameters<typeof everything.insert>[1] = {
  string: hostileText,
  text: `${hostileText}${"x".repeat(3000)}`,
  int: Number.MAX_SAFE_INTEGER,
  float: -1.5e300,
  decimal: "-1234567890123456.7",
  bool: true,
  date: "2026-02-28",
  datetime: new Date("2026-02-28T12:34:56.789Z"),
  uuid: "0B5AF8F8-4DF6-4B8E-8A8E-2D6D8A0C5A55",
  kind: "back\\slash",
  json: { a: [1, null, hostileText] },
  tags: [hostileText, "b"],
  days: [new Date("2026-01-01T00:00:00Z")],
  address: { street: hostileText, since: new Date("2026-01-01T00:00:00.001Z") },
  bytes: new Uint8Array([0, 1, 34, 92, 255]),
  big: 2n ** 62n,
  price: "12.5",
};
const storedValue = {
  ...everyValue,
  decimal: "-1234567890123456.7000",
  uuid: everyValue.uuid.toLowerCase(),
  price: "12.50",
  maybe: undefined,
  nothing: null,
  absent: undefined,
};

function valueCases(name: string, database: Database): void {
  describe(`${name}: values of tables`, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await database.query(async (handle) => {
        for (const text of Table.createStatements([everything, ranked], database.dialect())) {
          await handle.exec(sql(Object.assign([text], { raw: [text] })));
        }
      });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(async () => {
      await database.exec(sql`delete from everything`);
      await database.exec(sql`delete from ranked`);
    });

    test("stores every type of column, one at a time and in bulk", async () => {
      const inserted = await everything.insert(database, everyValue);
      const [bulk] = await everything.insertAll(database, [everyValue]);
      assert.deepEqual({ ...inserted, id: "" }, { ...storedValue, id: "" });
      assert.deepEqual(await everything.find(database, inserted.id), inserted);
      assert.deepEqual({ ...bulk, id: "" }, { ...inserted, id: "" });
      assert.deepEqual(await everything.find(database, bulk!.id), bulk);
      const updated = await everything.update(database, inserted, {
        ...everyValue,
        maybe: [1],
        nothing: 2,
        absent: "a",
      });
      assert.deepEqual(updated, { ...inserted, maybe: [1], nothing: 2, absent: "a" });
      const emptied = await everything.update(database, inserted, { maybe: undefined, nothing: null, absent: null });
      assert.deepEqual(emptied, inserted);
    });

    test("stores decimals in one form, however they are written", async () => {
      for (const [price, stored] of [
        ["007.5", "7.50"],
        ["-0", "0.00"],
        ["-0.0", "0.00"],
        ["1.2000", "1.20"],
        ["-9999999999.99", "-9999999999.99"],
      ] as const) {
        const inserted = await everything.insert(database, { ...everyValue, price });
        const [bulk] = await everything.insertAll(database, [{ ...everyValue, price }]);
        assert.deepEqual([inserted.price, bulk?.price], [stored, stored]);
        assert.equal(await everything.count(database, { price }), price.startsWith("-0.") ? 4 : 2);
      }
    });

    test("orders and pages by decimals as numbers", async () => {
      const prices = ["-10.00", "-9.50", "0.00", "2.25", "9.50", "10.00", "100.00"];
      const names = await ranked.insertAll(
        database,
        ["9.5", "100", "-10", "2.25", "10", "-9.5", "0"].map((rank) => ({ name: `r${rank}`, rank })),
      );
      assert.equal(names.length, prices.length);
      assert.deepEqual(
        (await ranked.collect(database, { orderBy: "rank" })).map(({ rank }) => rank),
        prices,
      );
      for (const sort of ["asc", "desc"] as const) {
        for (const total of [true, false]) {
          const found: string[] = [];
          let cursor: string | undefined;
          do {
            const options = { sort, sortBy: "rank", limit: 2, after: cursor };
            const [items, , { next }] = await ranked.searchPage(database, options, { total });
            found.push(...items.map(({ rank }) => rank));
            cursor = next;
          } while (cursor !== undefined);
          assert.deepEqual(found, sort === "asc" ? prices : prices.toReversed());
        }
      }
      const [items] = await ranked.search(database, { filterBy: { rank: { from: "9.5" } } });
      assert.equal(items.length, 3);
    });

    test("refuses values that could be stored but not read", async () => {
      for (const [column, value] of [
        ["date", "2026-02-30"],
        ["date", "0000-12-31"],
        ["date", "0000-00-00"],
        ["datetime", new Date(Number.NaN)],
        ["int", 2n ** 60n],
        ["int", 1.5],
        ["big", 2n ** 63n],
        ["price", "1.239"],
        ["price", "12345678901"],
        ["price", "1e3"],
        ["float", Number.POSITIVE_INFINITY],
      ] as const) {
        const row = { ...everyValue, [column]: value } as typeof everyValue;
        const refused = { code: "E_TABLE_VALUE" };
        await assert.rejects(everything.insert(database, row), refused);
        await assert.rejects(everything.insertAll(database, [row]), refused);
        await assert.rejects(everything.count(database, { [column]: value }), refused);
      }
      assert.equal(await everything.count(database), 0);
    });

    test("refuses a condition without columns, such as a promise, which would match all rows", async () => {
      const refused = { code: "E_TABLE", message: /a condition must be an object of columns/ };
      for (const where of [
        Promise.resolve({ name: "A" }),
        new Date(),
        new Map([["name", "A"]]),
        [],
        null,
      ] as object[]) {
        await assert.rejects(ranked.collect(database, { where }), refused);
        await assert.rejects(ranked.count(database, where), refused);
        await assert.rejects(ranked.exists(database, where), refused);
        await assert.rejects(ranked.search(database, {}, { where: [{ name: "A" }, where] as object }), refused);
      }
      const bare = Object.assign(Object.create(null) as object, { name: "A" });
      assert.equal(await ranked.count(database, bare), 0);
    });

    test("upserts by exactly the value of the constraint", async () => {
      await ranked.insert(database, { name: "A", rank: "1.50" });
      const same = await ranked.upsert(database, { name: "B", rank: "1.5" }, { on: ["rank"] });
      assert.deepEqual([same.name, same.rank, await ranked.count(database)], ["B", "1.50", 1]);
      // The row of another constraint, whose name differs by case alone.
      await assert.rejects(ranked.upsert(database, { name: "b", rank: "1.50" }, { on: ["name"] }), {
        code: "E_DATABASE_UNIQUE",
      });
    });
  });
}

valueCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => valueCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => valueCases("MariaDB", mariadb({ url })));
