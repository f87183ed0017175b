import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { share, stopStatementTime } from "../../../test/database/shared-statements.ts";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { configuration, waitFor } from "../../testing/index.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { postgresql } from "./postgresql.ts";

await withServer(kind, ({ url }) => {
  let database: Database;
  before(async () => {
    using _ = configuration({ DATABASE_POOL_SIZE: "4" });
    database = postgresql({ url });
    await database.start({ services: [database] });
  });
  after(() => database.stop());

  /** Runs reads at once, and returns true if they share connections. */
  const areShared = async (read: () => Promise<unknown>): Promise<boolean> => {
    const reads = Array.from({ length: 3 * database.poolStats().size }, read);
    const { waiting } = database.poolStats();
    await Promise.all(reads);
    return waiting === 0;
  };

  test("reads that begin to take milliseconds get connections of their own, and share again once they are quick", async (t) => {
    const time = stopStatementTime(t);
    const sleep = (seconds: number) =>
      database.find(sql.value(Row.text)`select pg_sleep(${seconds})::text from (select 1) s`);
    await share(database, () => sleep(0));
    time.resume();
    await waitFor(async () => !(await areShared(() => sleep(0.008))), t);
    time.stop();
    await share(database, () => sleep(0));
  });

  test("a single slow run does not keep a quick read from sharing connections", async (t) => {
    const time = stopStatementTime(t);
    const sleep = (seconds: number) =>
      database.find(sql.value(Row.text)`select pg_sleep(${seconds})::text from (select 2) s`);
    await share(database, () => sleep(0));
    time.resume();
    await sleep(0.05);
    time.stop();
    assert.ok(await areShared(() => sleep(0)));
  });

  test("values of every size and kind reach the server unchanged, at once and within a transaction", async () => {
    const row = Row.record({ text: Row.text, bytes: Row.bytes, missing: Row.nullable(Row.text) });
    const echo = (text: string, bytes: Uint8Array) =>
      database.find(sql.row(row)`select ${text}::text as text, ${bytes}::bytea as bytes, ${null}::text as missing`);
    const texts = ["", "plain", "Zürich 🏔", "a".repeat(40), "é".repeat(41), "x".repeat(8000), "€🏔".repeat(20_000)];
    const checkAll = (): Promise<unknown> =>
      Promise.all(
        [...texts, ...texts, ...texts].map(async (text, index) => {
          const bytes = new Uint8Array(index * 1000).fill(index);
          assert.deepEqual(await echo(text, bytes), { text, bytes, missing: null });
        }),
      );
    for (let round = 0; round < 3; round++) await checkAll();
    await database.transaction(checkAll);
  });
});
