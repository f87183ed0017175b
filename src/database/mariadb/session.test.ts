import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { mariadb as kind, queryRows } from "../../../test/servers/mariadb.ts";
import { withServer } from "../../../test/servers/server.ts";
import { LimmatError } from "../../core/index.ts";
import { waitFor } from "../../testing/index.ts";
import { assertErrorCode, rejectsWithCode } from "../../testing/assert-error-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { mariadb } from "./mariadb.ts";

await withServer(kind, ({ url }) => {
  const database: Database = mariadb({ url });
  before(() => database.start({ services: [database] }));
  after(() => database.stop());
  const value = (statement: ReturnType<typeof sql>): Promise<unknown> =>
    database.find(statement).then((row) => Object.values(row)[0]);

  describe("SQL has the same meaning as on other databases", () => {
    test("double quotes enclose identifiers", async () => {
      await database.exec(sql`create table "quoted" ("order" bigint primary key)`);
      assert.equal(await database.exec(sql`insert into "quoted" ("order") values (${1})`), 1);
    });
    test("|| concatenates texts", async () => assert.equal(await value(sql`select 'a' || ${"b"} || 'c'`), "abc"));
    test("a backslash is an ordinary character", async () => {
      assert.equal(await value(sql.row(Row.record({ v: Row.text }))`select 'a\\b\\' as v`), "a\\b\\");
    });
    test("an update reads the old values of the row", async () => {
      await database.exec(sql`create table swapped (a bigint, b bigint)`);
      await database.exec(sql`insert into swapped values (1, 2)`);
      await database.exec(sql`update swapped set a = b, b = a`);
      assert.deepEqual(await database.find(sql`select a, b from swapped`), { a: 2, b: 1 });
    });
    test("refuses a selected column that is neither grouped nor aggregated", () =>
      rejectsWithCode("E_DATABASE_STATEMENT", () =>
        database.collect(sql`select table_name, count(*) from information_schema.tables group by table_schema`),
      ));
    test("compares text by code point, including literals and values", async () => {
      assert.equal(await value(sql`select 'a' = 'A' or 'a' = 'a ' or ${"e"} = ${"é"} as v`), 0);
    });
    test("sql.contains works in other SQL modes", async () => {
      const texts = ["a\\b", "100%", "a_b", "é", "it's", "!"];
      const lax = mariadb({ url, name: "lax" });
      await lax.start({ services: [lax] });
      for (const mode of ["", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES"]) {
        await lax.query(async (handle) => {
          await handle.exec(sql`set sql_mode = ${mode}`);
          for (const text of texts) {
            const match = sql.value(Row.int)`select ${sql.contains(sql`${`x${text}y`}`, text)} as v`;
            const mismatch = sql.value(Row.int)`select ${sql.contains(sql`${"a.b1000acbEit.s?"}`, text)} as v`;
            assert.deepEqual(
              [await handle.find(match), await handle.find(mismatch)],
              [1, 0],
              `${text} in mode ${mode}`,
            );
          }
        });
      }
      await lax.stop();
    });
    test("the time zone is UTC", async () => {
      assert.equal(await value(sql`select timestampdiff(second, utc_timestamp(), now()) as v`), 0);
    });
  });

  describe("refuses invalid values instead of changing them", () => {
    before(() =>
      database.exec(sql`create table strict (number tinyint, short varchar(3), day date, at datetime(3),
      mood enum('good', 'bad'), id uuid, price decimal(5, 2))`),
    );
    const invalid: Readonly<Record<string, unknown>> = {
      number: 300,
      short: "long",
      day: "2026-02-30",
      at: "2026-01-01 25:00:00",
      mood: "so so",
      id: "no uuid",
      price: "123456.00",
    };
    for (const [column, invalidValue] of Object.entries(invalid)) {
      test(`${column}: ${String(invalidValue)}`, () =>
        rejectsWithCode("E_DATABASE_VALUE", () =>
          database.exec(
            sql`insert into strict (${sql.identifier(column, Object.keys(invalid))}) values (${invalidValue})`,
          ),
        ));
    }
    test("refuses to omit a column without a default", async () => {
      await database.exec(sql`create table complete (id bigint primary key, name varchar(9) not null)`);
      await assert.rejects(database.exec(sql`insert into complete (id) values (1)`), {
        code: "E_DATABASE_NOT_NULL",
        message: /\. Set it, or make the column optional by a migration\.$/,
      });
    });
  });

  describe("reads values of types specific to MariaDB", () => {
    const types: Readonly<Record<string, readonly [statement: ReturnType<typeof sql>, expected: unknown]>> = {
      "a bit": [sql`select cast(1 as unsigned) & 1 as v`, 1],
      "a set": [sql`select * from sets`, "a,c"],
      "a time": [sql`select cast('12:30:00' as time) as v`, "12:30:00"],
      "an unsigned number beyond 2^63": [sql`select 18446744073709551615 as v`, 18446744073709551615n],
      "bytes, as a copy": [sql`select x'00ff' as v`, new Uint8Array([0, 255])],
      "a procedure's rows": [sql`call answer()`, 42],
    };
    before(async () => {
      await database.exec(sql`create table sets (v set('a', 'b', 'c'))`);
      await database.exec(sql`insert into sets values ('c,a')`);
      await database.exec(sql`create procedure answer() select 42 as v`);
    });
    for (const [title, [statement, expected]] of Object.entries(types)) {
      test(title, async () => assert.deepEqual(await value(statement), expected));
    }
  });

  test("sends no local files to the server (LOAD DATA LOCAL)", async () => {
    await database.exec(sql`create table leaked (line text)`);
    await assert.rejects(
      database.exec(sql`load data local infile '/etc/hostname' into table leaked`),
      (error: unknown) => error instanceof LimmatError,
    );
    assert.equal(await database.find(sql.value(Row.int)`select count(*) from leaked`), 0);
  });
  test("refuses several statements in one text, except in migrations", async () => {
    await rejectsWithCode("E_DATABASE_STATEMENT", () =>
      database.exec(sql`select 1; create table smuggled (id bigint)`),
    );
    assert.equal(
      await database.find(sql.value(Row.int)`select count(*) from information_schema.tables
      where table_name = 'smuggled'`),
      0,
    );
  });
  test("refuses a function that writes in a single read", async () => {
    await database.exec(sql`create table counted (n bigint)`);
    await database.exec(
      sql`create function count_up() returns bigint begin insert into counted values (1); return 1; end`,
    );
    await rejectsWithCode("E_DATABASE_READ_ONLY", () => database.find(sql`select count_up() as v`));
    assert.equal(await database.query((handle) => handle.find(sql.value(Row.int)`select count_up() as v`)), 1);
  });
  test("reports the server's message without values when a statement fails", async () => {
    const error = await assertErrorCode("E_DATABASE_STATEMENT", () =>
      database.find(sql`select nothing where ${"canary"} = 1`),
    );
    assert.match(error.message, /Unknown column 'nothing'/);
    assert.doesNotMatch(error.message, /canary|conn:|parameters/);
  });
  test("rolls back a transaction opened by a procedure before the connection is reused", async () => {
    await database.exec(sql`create procedure open_transaction() start transaction`);
    await database.addPool({ name: "single", url, size: 1 });
    const ctx = [["pool", "single"]] as const;
    await database.exec(sql`create table handed (id bigint primary key)`);
    await database.query(
      async (handle) => {
        await handle.exec(sql`call open_transaction()`);
        await handle.exec(sql`insert into handed values (1)`);
      },
      { ctx },
    );
    assert.equal(await database.exec(sql`insert into handed values (2)`, { ctx }), 1);
    assert.equal(await database.find(sql.value(Row.int)`select id from handed`), 2);
  });

  describe("a failed start", () => {
    const causes: Readonly<Record<string, readonly [change: (url: URL) => void, message: RegExp]>> = {
      "a wrong password": [
        (changed) => Object.assign(changed, { username: "nobody", password: "canary" }),
        /Access denied.*Check the user and the password/,
      ],
      // For unknown users the server uses one of two messages, depending on the name.
      "another wrong password": [
        (changed) => Object.assign(changed, { username: "abc", password: "canary" }),
        /Access denied.*Check the user and the password/,
      ],
      "an unknown database": [
        (changed) => Object.assign(changed, { pathname: "/no_such_database" }),
        /Unknown database.*Create the database first/,
      ],
      "a port without a server": [(changed) => Object.assign(changed, { port: "1" }), /ECONNREFUSED/],
      "an unknown host": [(changed) => Object.assign(changed, { hostname: "nothing.invalid" }), /ENOTFOUND|EAI_AGAIN/],
      "a server without TLS": [
        (changed) => changed.searchParams.set("sslmode", "verify-full"),
        /SSL|certificate|self/i,
      ],
    };
    for (const [title, [change, message]] of Object.entries(causes)) {
      test(`reports ${title} before the timeout and does not show the password`, async () => {
        const changed = new URL(url);
        change(changed);
        // Longer than the time limit of a test.
        const timeouts = { connectTimeoutMs: 3_600_000, acquireTimeoutMs: 3_600_000 };
        const other = mariadb({ url: changed.href, name: "other", ...timeouts });
        const error = await assertErrorCode("E_DATABASE_CONNECT", () => other.start({ services: [other] }));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /canary/);
      });
    }
  });

  test("closes all connections when the service stops", async (t) => {
    const other = mariadb({ url, name: "other" });
    await other.start({ services: [other] });
    const findId = (): Promise<number> =>
      other.query((handle) => handle.find(sql.value(Row.int)`select connection_id()`));
    const ids = await Promise.all(Array.from({ length: 20 }, findId));
    const count = async (): Promise<number> =>
      (await queryRows(url, `select id from information_schema.processlist where id in (${ids.join()})`)).length;
    assert.equal(await count(), new Set(ids).size);
    await other.stop();
    await waitFor(async () => (await count()) === 0, t);
  });
});

test("names the package to install if it is missing", () => {
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
