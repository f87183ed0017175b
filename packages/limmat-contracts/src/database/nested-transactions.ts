import assert from "node:assert/strict";
import { Row, sql } from "limmat/database";
import { error } from "limmat";
import { assertErrorCode } from "limmat/testing";
import type { DatabaseContractContext } from "./subject.ts";

/** Registers the cases of nested transactions. */
export function nestedCases({ database, runner }: DatabaseContractContext): void {
  const { test } = runner;
  const insert = (id: number): Promise<number> =>
    database.exec(sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`);
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const fails = (): Promise<unknown> => database.exec(sql`insert into c_items (id, name, amount) values (1, 'x', -1)`);

  test("nested: the outer transaction commits both", async () => {
    await database.transaction(async () => {
      await insert(1);
      await database.transaction(() => insert(2));
      await insert(3);
    });
    assert.deepEqual(await ids(), [1, 2, 3]);
  });
  test("nested: an error rolls back only the inner transaction", async () => {
    await database.transaction(async () => {
      await insert(1);
      const inner = database.transaction(async () => {
        await insert(2);
        throw new Error("inner");
      });
      await assert.rejects(inner, /inner/);
      await insert(3);
    });
    assert.deepEqual(await ids(), [1, 3]);
  });
  test("nested: a result with an error rolls back only the inner transaction", async () => {
    await database.transaction(async () => {
      await insert(1);
      await database.transaction(async () => {
        await insert(2);
        return error("no");
      });
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("nested: a stream of the outer transaction waits for the end of the inner one", async () => {
    await database.transaction(async (handle) => {
      await insert(1);
      const { promise: inserted, resolve: begin } = Promise.withResolvers<undefined>();
      const { promise: read, resolve: end } = Promise.withResolvers<undefined>();
      const inner = handle.transaction(async () => {
        await insert(2);
        begin(undefined);
        await read;
        return error("no");
      });
      await inserted;
      const seen: number[] = [];
      const streamed = (async () => {
        for await (const id of handle.stream(sql.value(Row.int)`select id from c_items order by id`)) seen.push(id);
      })();
      end(undefined);
      assert.deepEqual(await inner, error("no"));
      await streamed;
      assert.deepEqual(seen, [1]);
    });
  });
  test("nested: a rollback of the outer transaction includes the inner one", async () => {
    await assert.rejects(
      database.transaction(async () => {
        await database.transaction(() => insert(1));
        throw new Error("outer");
      }),
      /outer/,
    );
    assert.deepEqual(await ids(), []);
  });
  test("nested: with three levels, the middle one can be rolled back", async () => {
    await database.transaction(async () => {
      await insert(1);
      await database
        .transaction(async () => {
          await insert(2);
          await database.transaction(() => insert(3));
          throw new Error("middle");
        })
        .catch(() => {});
      await database.transaction(() => database.transaction(() => insert(4)));
    });
    assert.deepEqual(await ids(), [1, 4]);
  });
  test("nested: the outer transaction continues after a failed statement in the inner one", async () => {
    await database.transaction(async () => {
      await insert(1);
      await assertErrorCode("E_DATABASE_CHECK", () => database.transaction(fails));
      await insert(2);
    });
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("nested: a swallowed failure of a statement rolls the inner transaction back", async () => {
    await database.transaction(async () => {
      await insert(1);
      const inner = database.transaction(async () => {
        await insert(2);
        await fails().catch(() => {});
      });
      await assertErrorCode("E_DATABASE_TRANSACTION_ABORTED", () => inner);
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("nested: concurrent inner transactions run in sequence", async () => {
    await database.transaction(async () => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3, 4].map((id) =>
          database.transaction(async () => {
            await insert(id);
            await insert(id + 10);
            if (id % 2 === 0) throw new Error("even");
          }),
        ),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled", "rejected"],
      );
    });
    assert.deepEqual(await ids(), [1, 3, 11, 13]);
  });
  test("nested: a rollback does not affect a concurrent operation of the outer transaction", async () => {
    await database.transaction(async () => {
      const inner = database.transaction(async () => {
        await insert(1);
        await insert(2);
        throw new Error("inner");
      });
      const concurrentInsert = insert(3);
      await assert.rejects(inner, /inner/);
      await concurrentInsert;
    });
    assert.deepEqual(await ids(), [3]);
  });
  test("nested: the outer handle works on the inner transaction inside it", async () => {
    await database.transaction(async (outer) => {
      const inner = outer.transaction(async () => {
        await outer.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1)`);
        await outer.transaction(() => insert(2));
        throw new Error("inner");
      });
      await assert.rejects(inner, /inner/);
      await insert(3);
    });
    assert.deepEqual(await ids(), [3]);
  });
  test("nested: query can contain transactions", async () => {
    await database.query(async (handle) => {
      await insert(1);
      await assert.rejects(
        handle.transaction(async () => {
          await insert(2);
          throw new Error("stop");
        }),
        /stop/,
      );
      await handle.transaction(() => insert(3));
    });
    assert.deepEqual(await ids(), [1, 3]);
  });
  test("nested: query in a transaction is part of it", async () => {
    await database.transaction(async () => {
      await database.query((handle) => handle.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1)`));
      return error("no");
    });
    assert.deepEqual(await ids(), []);
  });
  test("nested: a rolled back inner transaction drops only its own afterCommit callbacks", async () => {
    const calls: string[] = [];
    await database.transaction(async () => {
      await database.transaction(() => database.afterCommit(() => calls.push("kept")));
      await database.transaction(() => {
        database.afterCommit(() => calls.push("forgotten"));
        return error("no");
      });
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, ["kept"]);
  });
}
