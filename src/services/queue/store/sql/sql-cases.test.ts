import assert from "node:assert/strict";
import * as runner from "node:test";
import { error } from "../../../../core/index.ts";
import { type Database, Migration, Row, sql as statement } from "../../../../entry-points/database.ts";
import { queueContract } from "limmat-contracts";
import { TestQueues } from "../../../../../packages/limmat-contracts/src/queue/test-queues.ts";
import { capturedLog, fakeClock } from "../../../../testing/replace.ts";
import { waitFor } from "../../../../testing/wait-for.ts";
import { Time, TimeInternals } from "../../../../time/index.ts";
import { job } from "../../job.ts";
import type { QueueOptions } from "../../service.ts";
import { migrations, sqlQueue } from "./sql.ts";

/** Registers the contract on a database, and the cases that only a queue in a database has. */
export function sqlCases(name: string, database: Database): void {
  const migration = Migration.service({ database, migrations, onPending: "run" });
  const subject = {
    make: (options: QueueOptions) => sqlQueue({ ...options, database }),
    services: [database, migration],
  };
  queueContract(name, subject, { ...runner, describe: describeWith });

  // The outermost group of the contract starts and stops the database, so the cases of this file belong in it.
  function describeWith(group: string, register: () => void): void {
    void runner.describe(group, () => {
      register();
      if (group !== name) return;
      runner.describe("transactions", () => transactionCases(database, () => new TestQueues(subject)));
      runner.describe("faults", () =>
        faultCases(
          database,
          (faulty) => new TestQueues({ ...subject, make: (options) => sqlQueue({ ...options, database: faulty }) }),
        ),
      );
    });
  }
}

function transactionCases(database: Database, openQueues: () => TestQueues): void {
  const { test } = runner;

  test("a job exists and runs once the transaction of its dispatch is committed", async (t) => {
    await using queues = openQueues();
    const done = Promise.withResolvers<undefined>();
    const work = job({ name: "work", handle: () => done.resolve(undefined) });
    const queue = await queues.startWorker(work);
    const other = await queues.start(work);
    await database.transaction(async () => {
      const id = await queue.dispatch(work);
      assert.equal((await queue.findOpt(id))?.status, "pending", "visible inside the transaction");
    });
    await done.promise;
    await waitFor(async () => (await other.counts()).succeeded > 0, t);
  });

  test("a rollback undoes dispatches, cancellations and requeues", async () => {
    await using queues = openQueues();
    const work = job({ name: "work", handle: () => {} });
    const once = job({ name: "once", unique: () => "", handle: () => {} });
    const queue = await queues.start(work, once);
    const waiting = await queue.dispatch(work, undefined, { delayMs: 60_000 });
    const cancelled = await queue.dispatch(work);
    await queue.cancel(cancelled);
    const changeAll = async (): Promise<void> => {
      await queue.dispatch(work);
      await queue.dispatchAll(work, Array<undefined>(600).fill(undefined));
      await queue.dispatch(once);
      assert.equal(await queue.cancel(waiting), true);
      assert.equal(await queue.requeue(cancelled), true);
    };
    await assert.rejects(
      database.transaction(async () => {
        await changeAll();
        throw new Error("rolled back");
      }),
      { message: "rolled back" },
    );
    await database.transaction(async () => {
      await changeAll();
      return error("rolled back as well");
    });
    await database.transaction(async (outer) => {
      await outer.transaction(changeAll);
      return error("with its savepoint");
    });
    assert.deepEqual(await queue.runDue(), []);
    assert.equal((await queue.search())[1], 2);
    assert.equal((await queue.findOpt(waiting))?.status, "pending");
    assert.equal((await queue.findOpt(cancelled))?.status, "cancelled");
  });

  test("a unique key in use does not abort the current transaction", async () => {
    await using queues = openQueues();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await queues.start(once);
    const first = await queue.dispatch(once, "a");
    await queue.cancel(first);
    const second = await queue.dispatch(once, "a");
    await database.transaction(async () => {
      assert.equal(await queue.requeue(first), false);
      assert.equal(await queue.dispatch(once, "a"), second);
      await queue.dispatch(once, "b");
    });
    assert.equal((await queue.counts()).pending, 2);
  });

  test("a purge deletes exactly the jobs that finished long enough ago, however many", async () => {
    await using queues = openQueues();
    const work = job({ name: "work", handle: () => {} });
    const queue = await queues.start(work);
    const ids = await queue.dispatchAll(work, Array<undefined>(2200).fill(undefined));
    const now = TimeInternals.timestamp();
    for (let part = 0; part < 22; part++) {
      const [status, finished] = [part < 2 ? "failed" : "succeeded", new Date(now - Time.hours(22 - part))];
      const isInPart = statement.in(statement`id`, ids.slice(part * 100, part * 100 + 100));
      await database.exec(
        statement`update queue_jobs set status = ${status}, finished_at = ${finished} where ${isInPart}`,
      );
    }
    assert.equal(await queue.purge({ olderThanMs: Time.hours(1.5) }), 2100);
    assert.equal((await queue.counts()).succeeded, 100);
    assert.equal(await queue.purge(), 100);
  });

  test("concurrent dispatches of one unique key create one job", async () => {
    await using queues = openQueues();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await queues.start(once);
    const ids = await Promise.all(Array.from({ length: 8 }, () => queue.dispatch(once, "a")));
    assert.equal(new Set(ids).size, 1);
    assert.equal((await queue.counts()).pending, 1);
  });

  test("concurrent dispatches of the same unique keys in different orders do not deadlock", async () => {
    await using queues = openQueues();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await queues.start(once);
    const keys = Array.from({ length: 40 }, (_, index) => String(index));
    const all = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const ids = await queue.dispatchAll(once, index % 2 === 0 ? keys : keys.toReversed());
        return index % 2 === 0 ? ids : ids.toReversed();
      }),
    );
    assert.equal(new Set(all.map(String)).size, 1);
    const jobs = await queue.runDue();
    assert.deepEqual(new Set(jobs.map(({ input }) => JSON.parse(input) as string)), new Set(keys));
  });

  test("a lease of a dead worker whose clock was a year ahead is ignored", async () => {
    using clock = fakeClock();
    using _ = capturedLog("error");
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    let attempts = 0;
    const work = job({
      name: "work",
      handle: async () => {
        attempts += 1;
        begun.resolve(undefined);
        if (attempts === 1) await new Promise(() => {});
      },
    });
    const [dead, healthy] = [await queues.start(work), await queues.start(work)];
    const id = await dead.dispatch(work);
    const now = Time.now();
    clock.set(new Date(now.getTime() + Time.days(365)));
    void dead.runDue();
    await begun.promise;
    clock.set(now);
    const [record] = await healthy.runDue();
    assert.deepEqual([record?.id, record?.status, record?.attempts], [id, "succeeded", 2]);
  });
}

/** Registers cases in which the database fails between two statements. */
function faultCases(database: Database, openQueues: (faulty: Database) => TestQueues): void {
  const { test } = runner;

  test("jobs claimed before the database failed run at once", async () => {
    using _ = capturedLog();
    let next: "works" | "fails after rows" | "fails" = "works";
    const collect: Database["collect"] = async (...args) => {
      if (next === "fails") {
        next = "works";
        throw new Error("away");
      }
      const rows = await database.collect(...args);
      if (next === "fails after rows" && rows.length > 0) next = "fails";
      return rows;
    };
    await using queues = openQueues({ ...database, collect });
    const [urgent, plain] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const work = job({
      name: "work",
      maxAttempts: 1,
      handle: (isUrgent: boolean, { job: record }) => (isUrgent ? urgent : plain).resolve(record.attempts),
    });
    const queue = await queues.startWorker(work);
    await database.transaction(async () => {
      await queue.dispatch(work, true, { priority: "high" });
      await queue.dispatch(work, false);
      next = "fails after rows";
    });
    assert.deepEqual(await Promise.all([urgent.promise, plain.promise]), [1, 1]);
  });

  test("a worker that freezes after any statement keeps no job from the others", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    const released = Promise.withResolvers<undefined>();
    let calls = Infinity;
    let frozen = Promise.withResolvers<undefined>();
    const freezeAfter = async <T>(response: Promise<T>): Promise<T> => {
      const value = await response;
      calls -= 1;
      if (calls > 0) return value;
      frozen.resolve(undefined);
      await released.promise;
      throw new Error("thawed");
    };
    const faulty: Database = {
      ...database,
      collect: (...args) => freezeAfter(database.collect(...args)),
      exec: (...args) => freezeAfter(database.exec(...args)),
    };
    await using queues = openQueues(faulty);
    await using healthyQueues = openQueues(database);
    const work = job({ name: "work", maxAttempts: 20, handle: () => {} });
    const [worker, healthy] = [await queues.start(work), await healthyQueues.start(work)];
    for (let count = 1; count <= 6; count++) {
      const id = await healthy.dispatch(work, undefined, { priority: "high" });
      frozen = Promise.withResolvers<undefined>();
      calls = count;
      const running = worker.runDue().catch(() => {});
      await Promise.race([frozen.promise, running]);
      calls = Infinity;
      clock.set(new Date(TimeInternals.timestamp() + Time.seconds(31)));
      await healthy.runDue();
      assert.equal((await healthy.findOpt(id))?.status, "succeeded", `frozen after ${count} statements`);
    }
    released.resolve(undefined);
  });

  test("dispatches, claims and purges are repeated after a deadlock", async () => {
    if (database.dialect().name !== "mariadb") return;
    using clock = fakeClock();
    await using queues = openQueues(database);
    const work = job({ name: "work", handle: () => {} });
    const queue = await queues.start(work);
    // The engine of this table keeps the count when the statement is rolled back.
    await database.exec(statement`create table deadlocks (remaining int) engine = memory`);
    const fail = statement`begin
      if (select max(remaining) from deadlocks) > 0 then
        update deadlocks set remaining = remaining - 1;
        signal sqlstate '40001' set mysql_errno = 1213;
      end if;
    end`;
    await database.exec(statement`insert into deadlocks values (0)`);
    for (const event of [statement`insert`, statement`update`, statement`delete`]) {
      await database.exec(statement`create trigger failing before ${event} on queue_jobs for each row ${fail}`);
      await database.exec(statement`update deadlocks set remaining = 2`);
      await queue.dispatch(work);
      await queue.runDue();
      // The system clock can be set back a little between the two operations.
      clock.set(new Date(TimeInternals.timestamp() + 1));
      assert.equal(await queue.purge(), 1);
      assert.equal(await database.find(statement.value(Row.int)`select remaining from deadlocks`), 0);
      await database.exec(statement`drop trigger failing`);
    }
    await database.exec(statement`drop table deadlocks`);
  });

  test("a purge locks no pending job", async () => {
    using clock = fakeClock();
    await using queues = openQueues(database);
    const work = job({ name: "work", handle: () => {} });
    const queue = await queues.start(work);
    await queue.dispatch(work);
    await queue.runDue();
    clock.set(new Date(TimeInternals.timestamp() + 1));
    const ids = await queue.dispatchAll(work, Array<undefined>(20).fill(undefined));
    const [purged, claimed] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const purging = database.transaction(async () => {
      assert.equal(await queue.purge(), 1);
      purged.resolve(undefined);
      await claimed.promise;
    });
    await purged.promise;
    if (database.dialect().name === "sqlite") claimed.resolve(undefined);
    const jobs = await queue.runDue();
    claimed.resolve(undefined);
    await purging;
    assert.deepEqual(
      jobs.map(({ id }) => id),
      ids,
    );
  });

  test("all failed jobs of dead workers are reported, even if the database fails between two updates", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    let updates = Infinity;
    const exec: Database["exec"] = (...args) => {
      updates -= 1;
      return updates === 0 ? Promise.reject(new Error("away")) : database.exec(...args);
    };
    await using queues = openQueues({ ...database, exec });
    const begun = Promise.withResolvers<undefined>();
    let [count, failed] = [0, 0];
    const deadly = job({
      name: "deadly",
      maxAttempts: 1,
      handle: async () => {
        count += 1;
        if (count === 3) begun.resolve(undefined);
        await new Promise(() => {});
      },
      failed: () => void (failed += 1),
    });
    const queue = await queues.start(deadly);
    await queue.dispatchAll(deadly, [undefined, undefined, undefined]);
    for (let worker = 0; worker < 3; worker++) void queue.runDue();
    await begun.promise;
    clock.set(new Date(TimeInternals.timestamp() + Time.seconds(31)));
    updates = 2;
    await assert.rejects(queue.runDue(), { message: "away" });
    await queue.runDue();
    assert.deepEqual([failed, (await queue.counts()).failed], [3, 3]);
  });

  test("a recorded outcome counts, even if the response was lost", async (t) => {
    using clock = fakeClock();
    using _ = capturedLog();
    let isLost = false;
    let depth = 0;
    const loseResponse = async <T>(response: Promise<T>): Promise<T> => {
      const value = await response;
      if (!isLost || depth > 0) return value;
      isLost = false;
      throw new Error("cut");
    };
    const exec: Database["exec"] = (...args) => loseResponse(database.exec(...args));
    const transaction: Database["transaction"] = (callback, options) => {
      depth += 1;
      return loseResponse(database.transaction(callback, options).finally(() => (depth -= 1)));
    };
    await using queues = openQueues({ ...database, exec, transaction });
    let failed = 0;
    const work = job({
      name: "work",
      maxAttempts: 1,
      handle: () => {
        isLost = true;
        throw new Error("no");
      },
      failed: () => void (failed += 1),
    });
    const queue = await queues.start(work);
    await queue.dispatch(work);
    const ended: true[] = [];
    const running = queue.runDue().finally(() => ended.push(true));
    // Advances the time no faster than the database responds.
    await waitFor(async () => {
      await queue.counts();
      await clock.advance(100);
      return ended.length > 0;
    }, t);
    assert.equal((await running)[0]?.status, "failed");
    assert.equal(failed, 1);
  });
}
