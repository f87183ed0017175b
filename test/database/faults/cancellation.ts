import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "limmat";
import { Row, sql } from "limmat/database";
import { waitFor } from "limmat/testing";
import {
  endlessSeconds,
  type FaultContext,
  ids,
  insert,
  selectOne,
  slowInsert,
  slowRead,
  waitMs,
  waitUntilRunning,
} from "./subject.ts";

/** Registers tests of statements that are slow, cancelled or abandoned. */
export function testCancellation(context: FaultContext): void {
  const { subject, url, database } = context;

  describe("a slow statement", () => {
    test("does not block concurrent reads", async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const slow = Array.from({ length: 2 }, () => database().find(slowRead(endlessSeconds), { signal }));
      const outcomes = Promise.allSettled(slow);
      await waitUntilRunning(context, "sleep(", slow.length);
      for (let round = 0; round < 20; round++) await database().find(selectOne);
      // The slow reads have not ended before they are aborted.
      controller.abort(new Error("long enough"));
      for (const outcome of await outcomes) assert.equal(outcome.status, "rejected");
    });
    test("ends on the server when it is cancelled", async () => {
      const controller = new AbortController();
      const slow = database().exec(slowInsert(5, endlessSeconds), { signal: controller.signal });
      await waitUntilRunning(context, "insert into entries");
      controller.abort(new Error("gone"));
      await assert.rejects(slow, /gone/);
      const isOver = async (): Promise<boolean> => (await subject.countRunning(url, "insert into entries")) === 0;
      await waitFor(isOver, { timeoutMs: waitMs });
      assert.deepEqual(await database().collect(ids), []);
    });
    test("does not cancel the next statement on its connection", async () => {
      await database().addPool({ name: "single", url, size: 1 });
      const ctx = [["pool", "single"]] as const;
      for (let round = 0; round < 100; round++) {
        const timedOut = database().find(slowRead(0.01), { ctx, timeoutMs: 8 + (round % 5) });
        const next = Array.from({ length: 4 }, () => database().find(slowRead(0.001), { ctx }));
        await timedOut.catch((error: unknown) => assert.ok(isError(error, "E_DATABASE_TIMEOUT"), String(error)));
        // A killed sleep() of MariaDB returns 1.
        assert.deepEqual(await Promise.all(next), [0, 0, 0, 0]);
      }
    });
    // Reading all rows would take longer than the time limit.
    test("ends when its stream is abandoned, however many rows remain", { timeout: 300_000 }, async () => {
      const endlessRows = sql.dialect({
        postgresql: sql`select generate_series(1, 10000000000)`,
        mariadb: sql`select seq from seq_1_to_10000000000`,
        sqlite: sql`select 1`,
      });
      await database().transaction(async () => {
        await database().exec(insert(1));
        for await (const row of database().stream(sql.value(Row.int)`${endlessRows}`)) if (row === 1000) break;
        assert.equal(await database().exec(insert(2)), 1);
      });
      assert.deepEqual(await database().collect(ids), [1, 2]);
    });
  });

  test("reads a table again after it changed under prepared statements", async () => {
    await database().exec(sql`create table changing (a integer)`);
    await database().exec(sql`insert into changing values (1)`);
    const statement = sql`select * from changing`;
    for (let round = 0; round < 4; round++) assert.deepEqual(await database().find(statement), { a: 1 });
    await database().exec(sql`alter table changing add column b varchar(9) default 'new'`);
    for (let round = 0; round < 4; round++) assert.deepEqual(await database().find(statement), { a: 1, b: "new" });
  });
}
