import assert from "node:assert/strict";
import { Row, sql } from "../../database/index.ts";
import { error } from "../../core/index.ts";
import { assertCode } from "./assert-code.ts";
import type { Setting } from "./subject.ts";

/** What transactions inside transactions promise. */
export function nestedCases({ database, runner }: Setting): void {
  const { test } = runner;
  const insert = (id: number): Promise<number> =>
    database.exec(sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`);
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const fails = (): Promise<unknown> => database.exec(sql`insert into c_items (id, name, amount) values (1, 'x', -1)`);

  test("nested: both are committed with the outer one", async () => {
    await database.transaction(async () => {
      await insert(1);
      await database.transaction(() => insert(2));
      await insert(3);
    });
    assert.deepEqual(await ids(), [1, 2, 3]);
  });
  test("nested: the inner one is rolled back alone", async () => {
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
  test("nested: a result with an error rolls the inner one back alone", async () => {
    await database.transaction(async () => {
      await insert(1);
      await database.transaction(async () => {
        await insert(2);
        return error("no");
      });
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("nested: a stream beside an inner one waits for its end", async () => {
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
  test("nested: nothing is left of an inner one that was rolled back", async () => {
    const outer = database.transaction(async () => {
      await database.transaction(() => error("no"));
      // Else a long transaction would keep a savepoint for each one inside it that failed.
      await assertCode("E_DATABASE_STATEMENT", () => database.exec(sql`release savepoint limmat_2`));
      return error("no");
    });
    assert.deepEqual(await outer, error("no"));
  });
  test("nested: the outer one takes the inner one with it", async () => {
    await assert.rejects(
      database.transaction(async () => {
        await database.transaction(() => insert(1));
        throw new Error("outer");
      }),
      /outer/,
    );
    assert.deepEqual(await ids(), []);
  });
  test("nested: three deep, the middle one rolled back", async () => {
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
  test("nested: a failed statement in the inner one leaves the outer one usable", async () => {
    await database.transaction(async () => {
      await insert(1);
      await assertCode("E_DATABASE_CHECK", () => database.transaction(fails));
      await insert(2);
    });
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("nested: a failed statement that the inner one swallowed rolls it back", async () => {
    await database.transaction(async () => {
      await insert(1);
      const inner = database.transaction(async () => {
        await insert(2);
        await fails().catch(() => {});
      });
      await assertCode("E_DATABASE_TRANSACTION_ABORTED", () => inner);
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("nested: those started at once run one after the other", async () => {
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
  test("nested: an operation of the outer one beside it is not rolled back with it", async () => {
    await database.transaction(async () => {
      const inner = database.transaction(async () => {
        await insert(1);
        await insert(2);
        throw new Error("inner");
      });
      const beside = insert(3);
      await assert.rejects(inner, /inner/);
      await beside;
    });
    assert.deepEqual(await ids(), [3]);
  });
  test("nested: the outer handle used inside belongs to the inner one", async () => {
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
  test("nested: a transaction inside query is a transaction", async () => {
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
  test("nested: query inside a transaction is part of it", async () => {
    await database.transaction(async () => {
      await database.query((handle) => handle.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1)`));
      return error("no");
    });
    assert.deepEqual(await ids(), []);
  });
  test("nested: afterCommit of an inner one that is rolled back is forgotten, that of others is not", async () => {
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
