import assert from "node:assert/strict";
import { type Handle, type Isolation, Row, sql } from "../../database/index.ts";
import { error, LimmatError, ok } from "../../core/index.ts";
import { fakeClock } from "../replace.ts";
import { assertCode } from "./assert-code.ts";
import { nestedCases } from "./nested-transactions.ts";
import { clearItems, type Setting } from "./subject.ts";

/** What transactions promise. */
export function transactionCases(setting: Setting): void {
  const { beforeEach, test } = setting.runner;
  const { database } = setting;
  const insert = (id: number): Promise<number> =>
    database.exec(sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`);
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const fails = (): Promise<unknown> => database.exec(sql`insert into c_items (id, name, amount) values (1, 'x', -1)`);
  /** Inserts item 2 through another service, which knows nothing of the transaction. */
  const insertElsewhere = async (): Promise<void> => {
    const other = setting.subject.make({ name: "other" });
    await other.start({ services: [other] });
    await other.exec(sql`insert into c_items (id, name, amount) values (2, 'item 2', 2)`).finally(() => other.stop());
  };
  const free = (): void => assert.deepEqual([database.counts().lent, database.counts().waiting], [0, 0]);

  beforeEach(() => clearItems(database));

  test("work that ends is committed, and its value given", async () => {
    assert.equal(await database.transaction(async () => (await insert(1)) + (await insert(2))), 2);
    assert.deepEqual(await ids(), [1, 2]);
    free();
  });
  test("work that throws is rolled back, and the error thrown on as it is", async () => {
    const thrown = new Error("stop");
    const work = async (): Promise<void> => {
      await insert(1);
      throw thrown;
    };
    await assert.rejects(database.transaction(work), (given) => given === thrown);
    assert.deepEqual(await ids(), []);
    free();
  });
  test("work that throws at once is rolled back", async () => {
    await assert.rejects(
      database.transaction(() => {
        throw new Error("stop");
      }),
      /stop/,
    );
    free();
  });
  test("work that gives a result with an error is rolled back, and the result given", async () => {
    const result = await database.transaction(async () => {
      await insert(1);
      return error("no");
    });
    assert.deepEqual(result, { ok: false, error: "no" });
    assert.deepEqual(await ids(), []);
  });
  test("work that gives a result with a value is committed", async () => {
    const result = await database.transaction(async () => {
      await insert(1);
      return ok(5);
    });
    assert.deepEqual(result, { ok: true, value: 5 });
    assert.deepEqual(await ids(), [1]);
  });
  test("transactionOrThrow gives the value of a result", async () => {
    assert.equal(await database.transactionOrThrow(async () => ok(await insert(1))), 1);
    assert.deepEqual(await ids(), [1]);
  });
  test("transactionOrThrow rolls back and throws the error of a result", async () => {
    const work = async () => {
      await insert(1);
      return error("no such thing");
    };
    const thrown = await assertCode("E_DATABASE_RESULT", () => database.transactionOrThrow(work));
    assert.equal(thrown.cause, "no such thing");
    assert.deepEqual(await ids(), []);
  });

  test("operations in it see its changes, those outside do not until it is committed", async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<undefined>();
    const { promise: seen, resolve: see } = Promise.withResolvers<undefined>();
    const transaction = database.transaction(async (handle) => {
      await insert(1);
      assert.deepEqual(await handle.collect(sql.value(Row.int)`select id from c_items`), [1]);
      write(undefined);
      await seen;
    });
    await written;
    assert.deepEqual(await ids(), []);
    see(undefined);
    await transaction;
    assert.deepEqual(await ids(), [1]);
  });
  test("operations started at once in it are all part of it", async () => {
    await database.transaction(async () => {
      await Promise.all([insert(1), insert(2), insert(3)]);
    });
    assert.deepEqual(await ids(), [1, 2, 3]);
  });
  test("an operation that was not waited for is part of it", async () => {
    await database.transaction(() => {
      void insert(1);
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("two transactions at once do not mix", async () => {
    const one = database.transaction(async () => {
      await insert(1);
      throw new Error("stop");
    });
    const two = database.transaction(async () => insert(2));
    await Promise.allSettled([one, two]);
    assert.deepEqual(await ids(), [2]);
  });

  test("a handle that is used after its end is an error", async () => {
    let handle: Handle | undefined;
    await database.transaction((given) => {
      handle = given;
    });
    await assertCode("E_DATABASE_HANDLE_ENDED", () => handle?.exec(sql`delete from c_items`));
    await assertCode("E_DATABASE_HANDLE_ENDED", () => handle?.transaction(() => {}));
  });
  test("an operation started in it that goes on after its end is an error", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    let late: Promise<number> | undefined;
    await database.transaction(() => {
      late = ended.then(() => insert(1));
    });
    end(undefined);
    await assertCode("E_DATABASE_HANDLE_ENDED", () => late);
    assert.deepEqual(await ids(), []);
  });

  test("after a failed statement nothing but its end is possible", async () => {
    const work = async (): Promise<void> => {
      await insert(1);
      await assertCode("E_DATABASE_CHECK", fails);
      await insert(2);
    };
    const thrown = await assertCode("E_DATABASE_TRANSACTION_ABORTED", () => database.transaction(work));
    assert.match(thrown.message, /rule of its table/);
    assert.deepEqual(await ids(), []);
  });
  test("a failed statement that was swallowed cannot be committed", async () => {
    const work = async (): Promise<string> => {
      await insert(1);
      await fails().catch(() => {});
      return "fine";
    };
    await assertCode("E_DATABASE_TRANSACTION_ABORTED", () => database.transaction(work));
    assert.deepEqual(await ids(), []);
  });
  test("an error of the application's values does not end it", async () => {
    await database.transaction(async () => {
      await assertCode("E_SQL_TEXT", () => database.exec(sql`insert into c_text (id, v) values (1, ${"\0"})`));
      await assertCode("E_DATABASE_NO_ROW", () => database.find(sql`select id from c_items`));
      await insert(1);
    });
    assert.deepEqual(await ids(), [1]);
  });

  test("afterCommit calls back after the commit, when the connection is free again, in order", async () => {
    const calls: unknown[] = [];
    await database.transaction(async () => {
      database.afterCommit(async () => calls.push(await ids(), database.counts().lent));
      database.afterCommit(() => calls.push("second"));
      await insert(1);
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, [[1], 0, "second"]);
  });
  test("afterCommit is forgotten when the transaction is rolled back", async () => {
    const calls: string[] = [];
    await database.transaction(() => {
      database.afterCommit(() => calls.push("no"));
      return error("no");
    });
    assert.deepEqual(calls, []);
  });
  test("afterCommit outside a transaction calls back at once", () => {
    const calls: string[] = [];
    database.afterCommit(() => calls.push("now"));
    assert.deepEqual(calls, ["now"]);
  });
  test("a callback after a commit that throws changes nothing for the others", async () => {
    const calls: string[] = [];
    await database.transaction(() => {
      database.afterCommit(() => {
        throw new Error("expected by a test");
      });
      database.afterCommit(() => calls.push("second"));
    });
    assert.deepEqual(calls, ["second"]);
  });

  test("a read-only transaction reads and refuses to write", async () => {
    await insert(1);
    assert.deepEqual(await database.transaction(ids, { readOnly: true }), [1]);
    await assertCode("E_DATABASE_READ_ONLY", () => database.transaction(() => insert(2), { readOnly: true }));
    assert.equal(await insert(3), 1);
  });
  for (const isolation of ["read committed", "repeatable read", "serializable"] satisfies Isolation[]) {
    test(`isolation can be ${isolation}`, async () => {
      await database.transaction(() => insert(1), { isolation });
      assert.deepEqual(await ids(), [1]);
    });
  }
  test("repeatable read sees one state throughout", async () => {
    await insert(1);
    const seen = await database.transaction(
      async () => {
        const first = await ids();
        await insertElsewhere();
        return [first, await ids()];
      },
      { isolation: "repeatable read", readOnly: true },
    );
    assert.deepEqual(seen, [[1], [1]]);
  });
  test("a collision is tried again, as often as allowed, and even while the clock stands still", async () => {
    using _ = fakeClock();
    for (const code of ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION"]) {
      let tries = 0;
      const collide = (times: number) => async (): Promise<number> => {
        tries += 1;
        await insert(tries);
        if (tries <= times) throw new LimmatError(code, "expected by a test");
        return tries;
      };
      assert.equal(await database.transaction(collide(2), { retry: 2 }), 3);
      assert.deepEqual(await ids(), [3]);
      await clearItems(database);
      tries = 0;
      await assertCode(code, () => database.transaction(collide(3), { retry: 2 }));
      tries = 0;
      await assertCode(code, () => database.transaction(collide(1)));
      assert.deepEqual([tries, await ids()], [1, []]);
    }
    free();
  });

  test("an abort ends the pause before the next try", async () => {
    const control = new AbortController();
    const reason = new Error("expected by a test");
    let tries = 0;
    const collide = async (): Promise<never> => {
      if (++tries === 8) setImmediate(() => control.abort(reason));
      throw new LimmatError("E_DATABASE_DEADLOCK", "expected by a test");
    };
    await assert.rejects(database.transaction(collide, { retry: Infinity, signal: control.signal }), reason);
    free();
  });

  test("ten thousand failing transactions leave every connection free and clean", async () => {
    for (let round = 0; round < 100; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const work = async (): Promise<unknown> => {
            await insert(index + 1);
            if (index % 3 === 0) return error("no");
            if (index % 3 === 1) throw new Error("stop");
            return fails();
          };
          await database.transaction(work).catch(() => {});
        }),
      );
      free();
    }
    assert.deepEqual(await ids(), []);
  });

  nestedCases(setting);
}
