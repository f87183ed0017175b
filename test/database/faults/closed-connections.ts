import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "limmat/database";
import { rejectsWithCode } from "../../../src/testing/assert-error-code.ts";
import {
  delayedRead,
  endlessSeconds,
  type FaultContext,
  ids,
  insert,
  selectOne,
  slowInsert,
  waitUntilRunning,
} from "./subject.ts";

/** Registers tests of connections that the server closes. */
export function testClosedConnections(context: FaultContext): void {
  const { subject, url } = context;

  describe("a connection closed by the server", () => {
    test("when idle: the next operations succeed", async () => {
      const database = context.database();
      await Promise.all([database.find(selectOne), database.exec(insert(1))]);
      await subject.closeConnections(url, "idle");
      assert.equal(await database.find(selectOne), 1);
      // The pool may notice the other closed connection meanwhile.
      await sleep(5);
      assert.deepEqual(await database.collect(ids), [1]);
      assert.equal(await database.transaction(() => database.exec(insert(2))), 1);
    });
    test("in a read: retries the read once", async () => {
      const database = context.database();
      await database.exec(sql`insert into delays values (${endlessSeconds})`);
      const slow = database.find(delayedRead);
      await waitUntilRunning(context, "sleep(");
      // The second attempt ends at once.
      await database.exec(sql`update delays set seconds = 0`);
      await subject.closeConnections(url, { running: "sleep(" });
      assert.equal(await slow, 0);
    });
    test("in a write: a typed error without a retry", async () => {
      const database = context.database();
      const slow = database.exec(slowInsert(1, endlessSeconds));
      const refused = rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => slow);
      await waitUntilRunning(context, "insert into entries");
      await subject.closeConnections(url, { running: "insert into entries" });
      await refused;
      assert.deepEqual(await database.collect(ids), []);
    });
    test("in a transaction: a typed error, a rollback and no retry", async () => {
      const database = context.database();
      let runs = 0;
      const callback = async (): Promise<void> => {
        runs += 1;
        await database.exec(insert(1));
        await subject.closeConnections(url, "in transaction");
        await database.exec(insert(2));
      };
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => database.transaction(callback));
      assert.deepEqual([runs, await database.collect(ids), database.poolStats().used], [1, [], 0]);
    });
    test("between transactions: the next transactions succeed", async () => {
      const database = context.database();
      for (let round = 0; round < 5; round++) {
        await database.transaction(() => database.exec(insert(round)));
        await subject.closeConnections(url, "idle");
      }
      assert.equal((await database.collect(ids)).length, 5);
    });
  });
}
