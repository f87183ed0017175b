import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { mariadb as kind, query } from "../../../test/servers/mariadb.ts";
import { withServer } from "../../../test/servers/server.ts";
import { LimmatError } from "../../core/index.ts";
import { assertCode, refuses } from "../../testing/database/assert-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
import { mariadb } from "./mariadb.ts";

await withServer(kind, ({ url }) => {
  const database: Database = mariadb({ url });
  before(() => database.start({ services: [database] }));
  after(() => database.stop());
  const value = (statement: ReturnType<typeof sql>): Promise<unknown> =>
    database.find(statement).then((row) => Object.values(row)[0]);

  describe("SQL means what it means elsewhere", () => {
    test("double quotes are for names", async () => {
      await database.exec(sql`create table "quoted" ("order" bigint primary key)`);
      assert.equal(await database.exec(sql`insert into "quoted" ("order") values (${1})`), 1);
    });
    test("|| puts texts together", async () => assert.equal(await value(sql`select 'a' || ${"b"} || 'c'`), "abc"));
    test("a backslash is a sign like others", async () => {
      assert.equal(await value(sql.row(Row.record({ v: Row.text }))`select 'a\\b\\' as v`), "a\\b\\");
    });
    test("an update reads the row as it was", async () => {
      await database.exec(sql`create table swapped (a bigint, b bigint)`);
      await database.exec(sql`insert into swapped values (1, 2)`);
      await database.exec(sql`update swapped set a = b, b = a`);
      assert.deepEqual(await database.find(sql`select a, b from swapped`), { a: 2, b: 1 });
    });
    test("a column that is neither grouped nor counted is an error", () =>
      refuses("E_DATABASE_STATEMENT", () =>
        database.collect(sql`select table_name, count(*) from information_schema.tables group by table_schema`),
      ));
    test("text is compared by code point, literals and values too", async () => {
      assert.equal(await value(sql`select 'a' = 'A' or 'a' = 'a ' or ${"e"} = ${"é"} as v`), 0);
    });
    test("what a filter contains means the same when the application chose another mode", async () => {
      const texts = ["a\\b", "100%", "a_b", "é", "it's", "!"];
      const lax = mariadb({ url, name: "lax" });
      await lax.start({ services: [lax] });
      for (const mode of ["", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"]) {
        await lax.query(async (handle) => {
          await handle.exec(sql`set sql_mode = ${mode}`);
          for (const text of texts) {
            const found = sql.value(Row.int)`select ${sql.contains(sql`${`x${text}y`}`, text)} as v`;
            const other = sql.value(Row.int)`select ${sql.contains(sql`${"a.b1000acbEit.s?"}`, text)} as v`;
            assert.deepEqual([await handle.find(found), await handle.find(other)], [1, 0], `${text} in mode ${mode}`);
          }
        });
      }
      await lax.stop();
    });
    test("the time is UTC", async () => {
      assert.equal(await value(sql`select timestampdiff(second, utc_timestamp(), now()) as v`), 0);
    });
  });

  describe("values that do not fit are refused, never changed", () => {
    before(() =>
      database.exec(sql`create table strict (number tinyint, short varchar(3), day date, at datetime(3),
      mood enum('good', 'bad'), id uuid, price decimal(5, 2))`),
    );
    const wrong: Readonly<Record<string, unknown>> = {
      number: 300,
      short: "long",
      day: "2026-02-30",
      at: "2026-01-01 25:00:00",
      mood: "so so",
      id: "no uuid",
      price: "123456.00",
    };
    for (const [column, given] of Object.entries(wrong)) {
      test(`${column}: ${String(given)}`, () =>
        refuses("E_DATABASE_VALUE", () =>
          database.exec(sql`insert into strict (${sql.identifier(column, Object.keys(wrong))}) values (${given})`),
        ));
    }
    test("a column without a default that is left out is an error", async () => {
      await database.exec(sql`create table complete (id bigint primary key, name varchar(9) not null)`);
      await refuses("E_DATABASE_NOT_NULL", () => database.exec(sql`insert into complete (id) values (1)`));
    });
  });

  describe("values of MariaDB's own types", () => {
    const types: Readonly<Record<string, readonly [statement: ReturnType<typeof sql>, given: unknown]>> = {
      "a bit": [sql`select cast(1 as unsigned) & 1 as v`, 1],
      "a set": [sql`select * from sets`, "a,c"],
      "a time": [sql`select cast('12:30:00' as time) as v`, "12:30:00"],
      "an unsigned number beyond 2^63": [sql`select 18446744073709551615 as v`, 18446744073709551615n],
      "bytes, as a copy of their own": [sql`select x'00ff' as v`, new Uint8Array([0, 255])],
      "a procedure's rows": [sql`call answer()`, 42],
    };
    before(async () => {
      await database.exec(sql`create table sets (v set('a', 'b', 'c'))`);
      await database.exec(sql`insert into sets values ('c,a')`);
      await database.exec(sql`create procedure answer() select 42 as v`);
    });
    for (const [title, [statement, given]] of Object.entries(types)) {
      test(title, async () => assert.deepEqual(await value(statement), given));
    }
  });

  test("files of the client are not sent to the server", async () => {
    await database.exec(sql`create table leaked (line text)`);
    await assert.rejects(
      database.exec(sql`load data local infile '/etc/hostname' into table leaked`),
      (error: unknown) => error instanceof LimmatError,
    );
    assert.equal(await database.find(sql.value(Row.int)`select count(*) from leaked`), 0);
  });
  test("one text is one statement, except in migrations", async () => {
    await refuses("E_DATABASE_STATEMENT", () => database.exec(sql`select 1; create table smuggled (id bigint)`));
    assert.equal(
      await database.find(sql.value(Row.int)`select count(*) from information_schema.tables
      where table_name = 'smuggled'`),
      0,
    );
  });
  test("a function that writes is refused where only reading is expected", async () => {
    await database.exec(sql`create table counted (n bigint)`);
    await database.exec(
      sql`create function count_up() returns bigint begin insert into counted values (1); return 1; end`,
    );
    await refuses("E_DATABASE_READ_ONLY", () => database.find(sql`select count_up() as v`));
    assert.equal(await database.query((handle) => handle.find(sql.value(Row.int)`select count_up() as v`)), 1);
  });
  test("a statement that fails says what the server says, without values", async () => {
    const error = await assertCode("E_DATABASE_STATEMENT", () =>
      database.find(sql`select nothing where ${"canary"} = 1`),
    );
    assert.match(error.message, /Unknown column 'nothing'/);
    assert.doesNotMatch(error.message, /canary|conn:|parameters/);
  });
  test("a transaction that a statement opened by hand is not handed on", async () => {
    await database.addPool({ name: "single", url, size: 1 });
    const ctx = [["pool", "single"]] as const;
    await database.exec(sql`create table handed (id bigint primary key)`);
    await database.query(
      async (handle) => {
        await handle.exec(sql`start transaction`);
        await handle.exec(sql`insert into handed values (1)`);
      },
      { ctx },
    );
    assert.equal(await database.exec(sql`insert into handed values (2)`, { ctx }), 1);
    assert.equal(await database.find(sql.value(Row.int)`select id from handed`), 2);
  });

  describe("a start that fails", () => {
    const wrong: Readonly<Record<string, readonly [change: (given: URL) => void, says: RegExp]>> = {
      "with a wrong password": [
        (given) => Object.assign(given, { username: "nobody", password: "canary" }),
        /Access denied.*Are user and password/,
      ],
      // The server hides who is there: by the name it says one of two things.
      "with another wrong password": [
        (given) => Object.assign(given, { username: "abc", password: "canary" }),
        /Access denied.*Are user and password/,
      ],
      "with an unknown database": [
        (given) => Object.assign(given, { pathname: "/no_such_database" }),
        /Unknown database.*Create it first/,
      ],
      "without a server": [(given) => Object.assign(given, { port: "1" }), /ECONNREFUSED/],
      "with a host that is none": [
        (given) => Object.assign(given, { hostname: "nothing.invalid" }),
        /ENOTFOUND|EAI_AGAIN/,
      ],
      "with encryption that the server lacks": [
        (given) => given.searchParams.set("sslmode", "verify-full"),
        /SSL|certificate|self/i,
      ],
    };
    for (const [title, [change, says]] of Object.entries(wrong)) {
      test(`${title} fails soon and says why, without the password`, async () => {
        const other = new URL(url);
        change(other);
        const from = performance.now();
        const made = mariadb({ url: other.href, name: "other", connectTimeout: 60_000, acquireTimeout: 60_000 });
        const error = await assertCode("E_DATABASE_CONNECT", () => made.start({ services: [made] }));
        // Before any time is up.
        assert.ok(performance.now() - from < 30_000, `${performance.now() - from} ms`);
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /canary/);
      });
    }
  });

  test("the connections of a service that was stopped are gone", async () => {
    const own = new URL(url).pathname.slice(1);
    const count = async (): Promise<number> =>
      Number((await query(url, `select count(*) from information_schema.processlist where db = '${own}'`))[0]?.[0]);
    const earlier = await count();
    const made = mariadb({ url, name: "other" });
    await made.start({ services: [made] });
    await Promise.all(Array.from({ length: 20 }, () => made.query((handle) => handle.find(sql`select 1 as v`))));
    assert.ok((await count()) > earlier);
    await made.stop();
    while ((await count()) > earlier) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

test("without the package, the start says what to install", () => {
  const script = `
    import { registerHooks } from "node:module";
    const missing = () => {
      throw Object.assign(new Error("Cannot find package 'mariadb' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
    };
    registerHooks({ resolve: (name, context, next) => (name === "mariadb" ? missing() : next(name, context)) });
    const { mariadb } = await import(${JSON.stringify(new URL("mariadb.ts", import.meta.url).href)});
    const database = mariadb({ url: "mariadb://localhost/app" });
    await database.start({ services: [database] }).catch((error) => console.log(error.code, error.message));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  assert.match(stdout, /^E_DATABASE_DRIVER_MISSING .*"mariadb" is not installed.*npm install mariadb@3/);
});
