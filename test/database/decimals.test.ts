// Decimals with up to 65 digits, the most that all databases have, are compared and sorted exactly, as whole numbers of a model are.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { Choices } from "./random-values.ts";

// Precision and scale of the columns. MariaDB has at most 65 digits, 38 of them after the point.
const shapes = [
  [65, 38],
  [65, 0],
  [38, 38],
  [30, 15],
  [19, 4],
  [15, 5],
  [12, 2],
] as const;

const modelScale = 38;

/** Returns a decimal as a whole number of the model. */
function toModel(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(modelScale, "0"));
}

function fromModel(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(modelScale + 1, "0");
  const [whole, fraction] = [digits.slice(0, -modelScale), digits.slice(-modelScale).slice(0, scale)];
  return `${value < 0n ? "-" : ""}${whole}${scale === 0 ? "" : `.${fraction}`}`;
}

/** Returns values that are close to each other, of all lengths and both signs, and the outermost ones. */
function randomValues(choices: Choices, precision: number, scale: number): readonly string[] {
  const unit = 10n ** BigInt(modelScale - scale);
  const limit = 10n ** BigInt(precision);
  const values = new Set<bigint>([0n, 1n, -1n, limit - 1n, 1n - limit, limit / 3n, limit / 3n + 1n]);
  while (values.size < 40) {
    const length = 1 + choices.below(precision);
    const digits = Array.from({ length }, () => choices.below(10)).join("");
    const value = BigInt(digits) * (choices.chance(50) ? -1n : 1n);
    values.add(value);
    if (choices.chance(50) && (value + 1n) ** 2n < limit ** 2n) values.add(value + 1n);
  }
  return [...values].map((value) => fromModel(value * unit, scale));
}

const compare = (left: bigint, right: bigint): number => Number(left > right) - Number(left < right);

function decimalCases(name: string, database: Database): void {
  describe(`${name}: decimals`, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    for (const [precision, scale] of shapes) {
      test(`of ${precision} digits, ${scale} after the point, equal the model`, async () => {
        const choices = new Choices(precision * 100 + scale);
        const table = Table.make(`decimals_${precision}_${scale}`, {
          schema: Schema.record({ price: Schema.decimal({ precision, scale }) }),
          unique: [["price"]],
          search: { sortBy: ["price"], filterBy: ["price"] },
        });
        for (const text of Table.createStatements(table, database.dialect())) {
          await database.exec(sql(Object.assign([text], { raw: [text] })));
        }
        const prices = randomValues(choices, precision, scale);
        const rows = await table.insertAll(
          database,
          prices.map((price) => ({ price })),
        );
        assert.deepEqual(
          rows.map(({ price }) => price),
          prices,
        );
        const sorted = prices.toSorted((left, right) => compare(toModel(left), toModel(right)));
        const pricesOf = (items: readonly { readonly price: string }[]): string[] => items.map(({ price }) => price);
        assert.deepEqual(pricesOf(await table.collect(database, { orderBy: "price" })), sorted);
        assert.deepEqual(pricesOf(await table.collect(database, { orderBy: { price: "desc" } })), sorted.toReversed());
        for (const sort of ["asc", "desc"] as const) {
          const found: string[] = [];
          let cursor: string | undefined;
          do {
            const [items, , { next }] = await table.searchPage(database, {
              sort,
              sortBy: "price",
              limit: 7,
              after: cursor,
            });
            found.push(...pricesOf(items));
            cursor = next;
          } while (cursor !== undefined);
          assert.deepEqual(found, sort === "asc" ? sorted : sorted.toReversed());
        }

        const filtered = async (price: object | string): Promise<readonly string[]> => {
          const parameters = {
            filterBy: { price: price as string },
            sort: "asc",
            sortBy: "price",
            limit: 100,
          } as const;
          return pricesOf((await table.search(database, parameters))[0]);
        };
        // A value between two of the column, with more digits than it: as many as MariaDB has.
        const between = (price: string): string => {
          const digits = Math.min(modelScale, 65 - price.replace(/^-/, "").split(".")[0]!.length);
          return fromModel(toModel(price) + 10n ** BigInt(modelScale - digits), digits);
        };
        const written = (price: string): string => price.replace(/^(-?)/, "$1000").replace(/(\.\d+)$/, "$100");
        for (let round = 0; round < 12; round++) {
          const ends = [choices.pick(prices), choices.pick(prices)].map((price) =>
            choices.chance(50) ? price : between(price),
          );
          const [from, to] = ends as [string, string];
          const within = sorted.filter((price) => toModel(price) >= toModel(from) && toModel(price) <= toModel(to));
          assert.deepEqual(await filtered({ from, to }), within, `${from} to ${to}`);
          const above = sql`${sql.decimal(sql`price`)} > ${sql.decimal(from)}`;
          assert.equal(
            await database.find(
              sql.value(Row.int)`select count(*) from ${sql.identifier(table.name, [table.name])} where ${above}`,
            ),
            prices.filter((price) => toModel(price) > toModel(from)).length,
            `above ${from}`,
          );
          const one = choices.pick(prices);
          assert.deepEqual(await filtered(one), [one]);
          assert.deepEqual(await filtered(written(one)), [one]);
          assert.deepEqual(
            await filtered(between(one)),
            prices.filter((price) => toModel(price) === toModel(between(one))),
          );
          const list = choices.some(prices, choices.below(4));
          const isListed = (price: string): boolean => list.includes(price);
          assert.deepEqual(await filtered(list.map(written)), sorted.filter(isListed));
          assert.deepEqual(pricesOf(await table.collect(database, { where: { price: one } })), [one]);
          assert.deepEqual(
            pricesOf(await table.collect(database, { where: { price: [...list, one] }, orderBy: "price" })),
            sorted.filter((price) => price === one || isListed(price)),
          );
          await assert.rejects(table.insert(database, { price: one }), { code: "E_DATABASE_UNIQUE" });
        }
      });
    }

    test("with more digits than MariaDB has are refused, zeros at the end aside", async () => {
      const table = Table.make("decimal_digits", {
        schema: Schema.record({ price: Schema.decimal() }),
        search: { filterBy: ["price"] },
      });
      for (const text of Table.createStatements(table, database.dialect())) {
        await database.exec(sql(Object.assign([text], { raw: [text] })));
      }
      await table.insert(database, { price: "1" });
      const find = async (price: object | string): Promise<number> =>
        (await table.search(database, { filterBy: { price: price as string } }))[1];
      assert.equal(await find(`001.${"0".repeat(60)}`), 1);
      assert.equal(await find({ from: `0.${"9".repeat(38)}0` }), 1);
      for (const price of [
        `1.${"0".repeat(38)}1`,
        `-0.${"9".repeat(39)}`,
        "9".repeat(66),
        `${"1".repeat(40)}.${"1".repeat(38)}`,
      ]) {
        for (const filter of [price, { from: price }, { to: price }, ["1", price]])
          await assert.rejects(find(filter), { code: "E_SEARCH", message: /at most 65 digits, 38 after the point/ });
        assert.throws(() => sql.decimal(price), { code: "E_SQL_VALUE" });
        await assert.rejects(table.collect(database, { where: { price } }), { code: "E_TABLE_VALUE" });
      }
    });

    test("that are defaults are stored in one form, also by the database", async () => {
      const table = Table.make("decimal_defaults", {
        schema: Schema.record({ number: Schema.int(), price: Schema.decimal({ default: "1.5" }) }),
      });
      for (const text of Table.createStatements(table, database.dialect())) {
        await database.exec(sql(Object.assign([text], { raw: [text] })));
      }
      const { id } = await table.insert(database, { number: 1, price: "1.5" });
      await database.exec(
        sql`insert into decimal_defaults (id, number) values ('00000000-0000-4000-8000-000000000001', 2)`,
      );
      const found = await table.collect(database, { where: { price: "1.5" }, orderBy: "number" });
      assert.deepEqual(
        found.map(({ number, price }) => [number, price]),
        [
          [1, "1.50"],
          [2, "1.50"],
        ],
        id,
      );
    });
  });
}

decimalCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => decimalCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => decimalCases("MariaDB", mariadb({ url })));
