import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "limmat";
import { Row, sql, type Statement } from "limmat/database";
import { rejectsWithCode } from "../../../src/testing/assert-error-code.ts";
import { type FaultContext, insert } from "./subject.ts";

const add = (id: number, amount = 1): Statement<unknown> =>
  sql`update accounts set balance = balance + ${amount} where id = ${id}`;
const sum = sql.value(Row.int)`select sum(balance) from accounts`;

/** Registers tests of transactions that lock each other out. `accounts` contains 20 rows with a balance of 1,000. */
export function testConflicts({ subject, url, database, start }: FaultContext): void {
  describe("conflicting transactions", () => {
    /** Runs two transactions that lock rows 1 and 2 in opposite orders. Returns the errors. */
    const collide = async (lockSecond: (id: number) => Promise<unknown>): Promise<readonly unknown[]> => {
      const [first, other] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const outcomes = await Promise.allSettled([
        database().transaction(async () => {
          await database().exec(add(1));
          first.resolve(undefined);
          await other.promise;
          await lockSecond(2);
        }),
        database().transaction(async () => {
          await database().exec(add(2));
          other.resolve(undefined);
          await first.promise;
          await lockSecond(1);
        }),
      ]);
      return outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    };

    test("a deadlock is a typed error for one transaction, and the other one commits", async () => {
      const failed = await collide((id) => database().exec(add(id)));
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0], "E_DATABASE_DEADLOCK"));
      assert.equal(await database().find(sum), 20_002);
    });
    test("rolls back a deadlocked transaction completely, including concurrently started statements", async () => {
      const failed = await collide((id) =>
        Promise.all([id, 11, 12, 13].map((account) => database().exec(add(account)))),
      );
      assert.equal(failed.length, 1);
      assert.equal(await database().find(sum), 20_005);
      assert.deepEqual([database().poolStats().used, await database().exec(add(1, -1))], [0, 1]);
    });
    test("a repeatable read that would overwrite a committed change is a typed error", async () => {
      const callback = async (): Promise<void> => {
        const balance = await database().find(sql.value(Row.int)`select balance from accounts where id = 1`);
        const other = await start({ url, name: "other" });
        await other.exec(add(1));
        await database().exec(sql`update accounts set balance = ${balance + 1} where id = 1`);
      };
      await rejectsWithCode("E_DATABASE_SERIALIZATION", () =>
        database().transaction(callback, { isolation: "repeatable read" }),
      );
      assert.equal(await database().find(sum), 20_001);
    });
    test("a lock timeout is a typed error", async () => {
      const impatient = await start({ url, lockTimeoutMs: subject.lockTimeoutMs });
      await database().exec(insert(1));
      const release = Promise.withResolvers<undefined>();
      const locked = Promise.withResolvers<undefined>();
      const lockingTransaction = database().transaction(async () => {
        await database().exec(sql`update entries set id = 1 where id = 1`);
        locked.resolve(undefined);
        await release.promise;
      });
      await locked.promise;
      const remove = (): Promise<number> => impatient.exec(sql`delete from entries where id = 1`);
      await rejectsWithCode("E_DATABASE_LOCK_TIMEOUT", remove);
      release.resolve(undefined);
      await lockingTransaction;
      assert.equal(await remove(), 1);
    });
  });
}
