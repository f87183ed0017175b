import assert from "node:assert/strict";
import * as runner from "node:test";
import { error } from "../../../core/index.ts";
import { errors } from "../../../database/errors.ts";
import { type Database, Migration, sql as statement } from "../../../database/index.ts";
import { queueContract } from "../../../testing/queue/contract.ts";
import { Stage } from "../../../testing/queue/stage.ts";
import { capturedLog, fakeClock } from "../../../testing/replace.ts";
import { Time } from "../../../time/index.ts";
import { job } from "../job.ts";
import { migrations } from "./migrations.ts";
import { sql } from "./sql.ts";

/** The contract on a database, and what only a queue in a database can do. */
export function sqlCases(name: string, database: Database): void {
  const migration = Migration.service({ database, migrations, onPending: "run" });
  const subject = { make: (options: object) => sql({ ...options, database }), services: [database, migration] };
  queueContract(name, subject, { ...runner, describe: (of, register) => describeWith(of, register) });

  // The contract's outermost group starts and stops the database: the cases of this page belong into it.
  function describeWith(of: string, register: () => void): void {
    void runner.describe(of, () => {
      register();
      if (of !== name) return;
      runner.describe("transactions", () => transactionCases(database, () => new Stage(subject)));
      runner.describe("faults", () =>
        faultCases(
          database,
          (faulty) => new Stage({ ...subject, make: (options) => sql({ ...options, database: faulty }) }),
        ),
      );
    });
  }
}

function transactionCases(database: Database, stage: () => Stage): void {
  const { test } = runner;

  test("a job exists once the transaction around its dispatch is committed, and is worked then", async () => {
    await using open = stage();
    const done = Promise.withResolvers<undefined>();
    const work = job({ name: "work", handle: () => done.resolve(undefined) });
    const queue = await open.work(work);
    const other = await open.open(work);
    await database.transaction(async () => {
      const id = await queue.dispatch(work);
      assert.equal((await queue.find(id))?.status, "pending", "seen from inside");
    });
    await done.promise;
    while ((await other.counts()).succeeded < 1) await new Promise((resolve) => setImmediate(resolve));
  });

  test("a transaction that is rolled back dispatches, cancels and requeues nothing", async () => {
    await using open = stage();
    const work = job({ name: "work", handle: () => {} });
    const once = job({ name: "once", unique: () => "", handle: () => {} });
    const queue = await open.open(work, once);
    const waiting = await queue.dispatch(work, undefined, { delay: 60_000 });
    const gone = await queue.dispatch(work);
    await queue.cancel(gone);
    const all = async (): Promise<void> => {
      await queue.dispatch(work);
      await queue.dispatchAll(work, Array<undefined>(600).fill(undefined));
      await queue.dispatch(once);
      assert.equal(await queue.cancel(waiting), true);
      assert.equal(await queue.requeue(gone), true);
    };
    await assert.rejects(
      database.transaction(async () => {
        await all();
        throw new Error("rolled back");
      }),
      { message: "rolled back" },
    );
    await database.transaction(async () => {
      await all();
      return error("rolled back as well");
    });
    await database.transaction(async (outer) => {
      await outer.transaction(all);
      return error("with its savepoint");
    });
    assert.deepEqual(await queue.runDue(), []);
    assert.equal((await queue.search())[1], 2);
    assert.equal((await queue.find(waiting))?.status, "pending");
    assert.equal((await queue.find(gone))?.status, "cancelled");
  });

  test("a key that is in use spoils no transaction around", async () => {
    await using open = stage();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await open.open(once);
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

  test("however many have ended, each that did so long ago is purged, and no other", async () => {
    await using open = stage();
    const work = job({ name: "work", handle: () => {} });
    const queue = await open.open(work);
    const ids = await queue.dispatchAll(work, Array<undefined>(2200).fill(undefined));
    const now = Time.timestamp();
    for (let part = 0; part < 22; part++) {
      const [status, finished] = [part < 2 ? "failed" : "succeeded", new Date(now - Time.hours(22 - part))];
      const some = statement.in(statement`id`, ids.slice(part * 100, part * 100 + 100));
      await database.exec(statement`update queue_jobs set status = ${status}, finished_at = ${finished} where ${some}`);
    }
    assert.equal(await queue.purge({ olderThan: Time.hours(1.5) }), 2100);
    assert.equal((await queue.counts()).succeeded, 100);
    assert.equal(await queue.purge(), 100);
  });

  test("of dispatches of one key at the same time one counts", async () => {
    await using open = stage();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await open.open(once);
    const ids = await Promise.all(Array.from({ length: 8 }, () => queue.dispatch(once, "a")));
    assert.equal(new Set(ids).size, 1);
    assert.equal((await queue.counts()).pending, 1);
  });

  test("dispatches of the same keys in another order do not wait for each other in a circle", async () => {
    await using open = stage();
    const once = job({ name: "once", unique: (key: string) => key, handle: () => {} });
    const queue = await open.open(once);
    const keys = Array.from({ length: 40 }, (_, index) => String(index));
    const all = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const ids = await queue.dispatchAll(once, index % 2 === 0 ? keys : keys.toReversed());
        return index % 2 === 0 ? ids : ids.toReversed();
      }),
    );
    assert.equal(new Set(all.map(String)).size, 1);
    const instances = await queue.runDue();
    assert.deepEqual(new Set(instances.map(({ input }) => JSON.parse(input) as string)), new Set(keys));
  });

  test("a worker that died while its clock was a year ahead holds its jobs for no longer than a day", async () => {
    using clock = fakeClock();
    using _ = capturedLog("error");
    await using open = stage();
    const begun = Promise.withResolvers<undefined>();
    let tries = 0;
    const work = job({
      name: "work",
      handle: async () => {
        tries += 1;
        begun.resolve(undefined);
        if (tries === 1) await new Promise(() => {});
      },
    });
    const [dead, healthy] = [await open.open(work), await open.open(work)];
    const id = await dead.dispatch(work);
    const now = Time.now();
    clock.set(new Date(now.getTime() + Time.days(365)));
    void dead.runDue();
    await begun.promise;
    clock.set(now);
    const [instance] = await healthy.runDue();
    assert.deepEqual([instance?.id, instance?.status, instance?.tries], [id, "succeeded", 2]);
  });
}

/** What a database that fails in the middle leaves behind. */
function faultCases(database: Database, stage: (faulty: Database) => Stage): void {
  const { test } = runner;

  test("what a worker took before the database failed is worked at once", async () => {
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
    await using open = stage({ ...database, collect });
    const [urgent, plain] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const work = job({
      name: "work",
      maxTries: 1,
      handle: (isUrgent: boolean, { instance }) => (isUrgent ? urgent : plain).resolve(instance.tries),
    });
    const queue = await open.work(work);
    await database.transaction(async () => {
      await queue.dispatch(work, true, { priority: "high" });
      await queue.dispatch(work, false);
      next = "fails after rows";
    });
    assert.deepEqual(await Promise.all([urgent.promise, plain.promise]), [1, 1]);
  });

  test("a deadlock is no reason not to delete what has ended", async () => {
    using clock = fakeClock();
    let count = Infinity;
    const exec: Database["exec"] = (...args) => {
      count -= 1;
      return count === 0 ? Promise.reject(errors.E_DATABASE_DEADLOCK()) : database.exec(...args);
    };
    await using open = stage({ ...database, exec });
    const work = job({ name: "work", handle: () => {} });
    const queue = await open.open(work);
    await queue.dispatch(work);
    await queue.runDue();
    // The computer's clock may be set back a little in between.
    clock.set(new Date(Time.timestamp() + 1));
    count = 1;
    assert.equal(await queue.purge(), 1);
  });

  test("of workers that have died all failed jobs are told, although the database fails in between", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    let updates = Infinity;
    const exec: Database["exec"] = (...args) => {
      updates -= 1;
      return updates === 0 ? Promise.reject(new Error("away")) : database.exec(...args);
    };
    await using open = stage({ ...database, exec });
    const begun = Promise.withResolvers<undefined>();
    let [count, failed] = [0, 0];
    const deadly = job({
      name: "deadly",
      maxTries: 1,
      handle: async () => {
        count += 1;
        if (count === 3) begun.resolve(undefined);
        await new Promise(() => {});
      },
      failed: () => void (failed += 1),
    });
    const queue = await open.open(deadly);
    await queue.dispatchAll(deadly, [undefined, undefined, undefined]);
    for (let worker = 0; worker < 3; worker++) void queue.runDue();
    await begun.promise;
    clock.set(new Date(Time.timestamp() + Time.seconds(31)));
    updates = 2;
    await assert.rejects(queue.runDue(), { message: "away" });
    await queue.runDue();
    assert.deepEqual([failed, (await queue.counts()).failed], [3, 3]);
  });

  test("an end that was written down counts, although the answer was lost", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    let isLost = false;
    let depth = 0;
    const lose = async <T>(answer: Promise<T>): Promise<T> => {
      const value = await answer;
      if (!isLost || depth > 0) return value;
      isLost = false;
      throw new Error("cut");
    };
    const exec: Database["exec"] = (...args) => lose(database.exec(...args));
    const transaction: Database["transaction"] = (work, options) => {
      depth += 1;
      return lose(database.transaction(work, options).finally(() => (depth -= 1)));
    };
    await using open = stage({ ...database, exec, transaction });
    let failed = 0;
    const work = job({
      name: "work",
      maxTries: 1,
      handle: () => {
        isLost = true;
        throw new Error("no");
      },
      failed: () => void (failed += 1),
    });
    const queue = await open.open(work);
    await queue.dispatch(work);
    const ended: true[] = [];
    const running = queue.runDue().finally(() => ended.push(true));
    // Time goes on, but no faster than the database answers.
    while (ended.length === 0) {
      await queue.counts();
      await clock.advance(100);
    }
    assert.equal((await running)[0]?.status, "failed");
    assert.equal(failed, 1);
  });
}
