import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as kind } from "../../../test/servers/mariadb.ts";
import { withServer } from "../../../test/servers/server.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { mariadb } from "./mariadb.ts";

await withServer(kind, ({ url }) => {
  const database: Database = mariadb({ url });
  before(async () => {
    await database.start({ services: [database] });
    await database.exec(
      sql`create table moments (id bigint primary key, at datetime(6), stamp timestamp(3) null, day datetime)`,
    );
  });
  after(() => database.stop());

  const moments: readonly (readonly [stored: string, read: string])[] = [
    ["2026-01-31 12:34:56.123456", "2026-01-31T12:34:56.123Z"],
    ["2026-01-31 12:34:56.999999", "2026-01-31T12:34:56.999Z"],
    ["2026-01-31 12:34:56", "2026-01-31T12:34:56.000Z"],
    ["2026-01-31 00:00:00", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31 00:00:00.000001", "2026-01-31T00:00:00.000Z"],
    ["0001-01-01 00:00:00", "0001-01-01T00:00:00.000Z"],
    ["0099-12-31 23:59:59", "0099-12-31T23:59:59.000Z"],
    ["2024-02-29 23:59:59.5", "2024-02-29T23:59:59.500Z"],
    ["9999-12-31 23:59:59.999999", "9999-12-31T23:59:59.999Z"],
  ];
  for (const [stored, read] of moments) {
    test(`reads ${stored} the same from a new, cached, untyped and streamed statement`, async () => {
      await database.exec(sql`replace into moments (id, at) values (1, ${stored})`);
      const statement = sql.value(Row.timestamp)`select at from moments`;
      const expected = new Date(read);
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(await Promise.all([database.find(statement), database.find(statement)]), [expected, expected]);
        assert.deepEqual(await database.find(sql`select at, id from moments`), { at: expected, id: 1 });
        for await (const at of database.stream(statement)) assert.deepEqual(at, expected);
      }
    });
  }
  test("reads timestamp columns and NULL", async () => {
    await database.exec(sql`replace into moments (id, stamp) values (1, '2026-07-01 12:00:00.5')`);
    for (let round = 0; round < 3; round++) {
      const row = await database.find(sql`select stamp, day from moments`);
      assert.deepEqual(row, { stamp: new Date("2026-07-01T12:00:00.500Z"), day: null });
    }
  });
  test("reads many distinct statements like cached ones", async () => {
    await database.exec(sql`replace into moments (id, at) values (1, '2026-07-01 12:00:00')`);
    for (let round = 0; round < 600; round++) {
      const { at } = await database.find(sql`select at, ${sql.identifier(`n${round}`, [`n${round}`])} from moments,
        (select 1 as ${sql.identifier(`n${round}`, [`n${round}`])}) as other`);
      assert.deepEqual(at, new Date("2026-07-01T12:00:00Z"));
    }
  });
  test("reads zero dates stored in a lax SQL mode as text", async () => {
    await database.query(async (handle) => {
      await handle.exec(sql`set sql_mode = ''`);
      await handle.exec(sql`replace into moments (id, at, day) values (1, '0000-00-00', '2026-00-10')`);
      await handle.exec(sql`set sql_mode = default`);
    });
    for (let round = 0; round < 3; round++) {
      const row = await database.find(sql`select at, day from moments`);
      assert.deepEqual([typeof row["at"], typeof row["day"]], ["string", "string"]);
    }
  });
});
