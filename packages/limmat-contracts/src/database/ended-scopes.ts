import assert from "node:assert/strict";
import { Row, sql } from "limmat/database";
import { error } from "limmat";
import { rejectsWithCode } from "../rejects-with-code.ts";
import type { DatabaseContractContext } from "./subject.ts";

/** Registers the cases of transactions that end while something inside them runs. */
export function endedScopeCases({ database, runner }: DatabaseContractContext): void {
  const { test } = runner;
  const insert = (id: number, target: Pick<typeof database, "exec"> = database): Promise<number> =>
    target.exec(sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`);
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  /** Begins a callback that waits for `resume` after its first insertion, and then inserts again. */
  const pausedInsertion = () => {
    const paused = Promise.withResolvers<undefined>();
    const resumed = Promise.withResolvers<undefined>();
    const late = Promise.withResolvers<void>();
    const run = async (): Promise<void> => {
      await insert(1);
      paused.resolve(undefined);
      await resumed.promise;
      const lateInsertion = rejectsWithCode("E_DATABASE_HANDLE_ENDED", () => insert(2));
      late.resolve(lateInsertion);
      await lateInsertion;
    };
    return { run, paused: paused.promise, resume: () => resumed.resolve(undefined), late: late.promise };
  };

  test("ended: a failure ends the transactions that run or wait beside the failed one", async () => {
    const { run, paused, resume, late } = pausedInsertion();
    const ended: Promise<void>[] = [];
    const assertEnded = (inner: Promise<unknown>): Promise<unknown> => {
      ended.push(rejectsWithCode("E_DATABASE_HANDLE_ENDED", () => inner));
      return inner;
    };
    const outer = database.transaction(() =>
      Promise.all([
        assertEnded(database.transaction(run)),
        assertEnded(database.transaction(() => insert(3))),
        (async () => {
          await paused;
          throw new Error("stop");
        })(),
      ]),
    );
    await assert.rejects(outer, /stop/);
    await Promise.all(ended);
    resume();
    await late;
    assert.deepEqual(await ids(), []);
  });
  for (const use of ["transaction", "query"] as const) {
    test(`ended: the abort of a ${use} ends the transaction inside it`, async () => {
      const { run, paused, resume, late } = pausedInsertion();
      const abort = new AbortController();
      const outer = database[use](() => database.transaction(run), { signal: abort.signal });
      await paused;
      abort.abort(new Error("aborted"));
      await assert.rejects(outer, /aborted/);
      resume();
      await late;
      assert.deepEqual(await ids(), []);
    });
    test(`ended: the time limit of a ${use} ends the transaction inside it, at any depth`, async () => {
      const { run, resume, late } = pausedInsertion();
      const outer = (): Promise<unknown> =>
        database[use](() => database.transaction(() => database.transaction(run)), { timeoutMs: 50 });
      await rejectsWithCode("E_DATABASE_TIMEOUT", outer);
      resume();
      await late;
      assert.deepEqual(await ids(), []);
    });
  }
  test("ended: a transaction that is not awaited is part of the one around it", async () => {
    const { promise: returned, resolve: resume } = Promise.withResolvers<undefined>();
    const outer = database.transaction(() => {
      void database.transaction(async () => {
        await insert(1);
        await returned;
        await insert(2);
      });
      queueMicrotask(() => resume(undefined));
    });
    await outer;
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("ended: nothing can be started in a transaction whose callback has returned", async () => {
    const { promise: tried, resolve: resume } = Promise.withResolvers<undefined>();
    await database.transaction((handle) => {
      void handle.transaction(async () => {
        await insert(1);
        await tried;
        await insert(2);
      });
      setImmediate(() => {
        const late = [() => insert(3, handle), () => insert(4), () => handle.transaction(() => insert(5))];
        void Promise.all(late.map((start) => rejectsWithCode("E_DATABASE_HANDLE_ENDED", start))).then(() =>
          resume(undefined),
        );
      });
    });
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("ended: a statement that waits for a transaction has a time limit", async () => {
    await database.transaction(async (handle) => {
      const { promise: started, resolve: start } = Promise.withResolvers<undefined>();
      const { promise: tried, resolve: resume } = Promise.withResolvers<undefined>();
      const inner = handle.transaction(async () => {
        await insert(1);
        start(undefined);
        await tried;
      });
      await started;
      const waiting = (): Promise<unknown> => handle.exec(sql`delete from c_items`, { timeoutMs: 20 });
      await rejectsWithCode("E_DATABASE_TIMEOUT", waiting);
      resume(undefined);
      await inner;
      await insert(2);
    });
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("ended: a query in a transaction has a time limit, after which the transaction is rolled back", async () => {
    const outer = database.transaction(async () => {
      await insert(1);
      const inner = (): Promise<unknown> => database.query(() => new Promise(() => {}), { timeoutMs: 20 });
      await rejectsWithCode("E_DATABASE_TIMEOUT", inner);
      await rejectsWithCode("E_DATABASE_TRANSACTION_ABORTED", () => insert(2));
    });
    await rejectsWithCode("E_DATABASE_TRANSACTION_ABORTED", () => outer);
    assert.deepEqual(await ids(), []);
  });
  test("ended: streams of a connection end no transaction on it, which begins after the last one", async () => {
    await database.transaction(async () => {
      for (const id of [1, 2, 3, 4]) await insert(id);
    });
    for (const count of [1, 2]) {
      await database.query(async (handle) => {
        const select = sql.value(Row.int)`select id from c_items order by id`;
        const streams = Array.from({ length: count }, () => {
          const rows = handle.stream(select, { batchSize: 1 });
          return rows[Symbol.asyncIterator]();
        });
        await Promise.all(streams.map((stream) => stream.next()));
        let hasBegun = false;
        const undone = (): Promise<unknown> =>
          database.transaction(async () => {
            hasBegun = true;
            for (const stream of streams) await stream.return?.();
            await insert(5);
            throw new Error("undone");
          });
        await rejectsWithCode("E_DATABASE_STREAM_OPEN", undone);
        assert.equal(hasBegun, false);
        for (const stream of streams) {
          assert.deepEqual(await stream.next(), { done: false, value: 2 });
          await stream.return?.();
        }
        await assert.rejects(undone, /undone/);
      });
      assert.deepEqual(await ids(), [1, 2, 3, 4]);
    }
  });
  test("ended: a stream that is left open ends with its scope, and a late return reaches no other transaction", async () => {
    await database.transaction(async () => {
      for (const id of [1, 2, 3, 4]) await insert(id);
    });
    for (const use of ["query", "transaction"] as const) {
      const stream = await database[use](async (handle) => {
        const rows = handle.stream(sql.value(Row.int)`select id from c_items order by id`, { batchSize: 1 });
        const iterator = rows[Symbol.asyncIterator]();
        assert.deepEqual(await iterator.next(), { done: false, value: 1 });
        return iterator;
      });
      await database.transaction(async () => {
        await insert(5);
        await stream.return?.();
        await insert(6);
      });
      assert.deepEqual(await ids(), [1, 2, 3, 4, 5, 6]);
      await database.exec(sql`delete from c_items where id > 4`);
    }
  });
  test("ended: afterCommit in a transaction that has ended is an error", async () => {
    let late: Promise<void> | undefined;
    const { promise: ended, resolve: resume } = Promise.withResolvers<undefined>();
    await database.transaction(() => {
      late = ended.then(() => rejectsWithCode("E_DATABASE_HANDLE_ENDED", () => database.afterCommit(() => {})));
      return error("no");
    });
    resume(undefined);
    await late;
  });
}
