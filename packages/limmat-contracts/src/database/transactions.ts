import assert from "node:assert/strict";
import { type Handle, type Isolation, Row, sql } from "limmat/database";
import { error, LimmatError, ok } from "limmat";
import { assertErrorCode, fakeClock } from "limmat/testing";
import { endedScopeCases } from "./ended-scopes.ts";
import { nestedCases } from "./nested-transactions.ts";
import { clearItems, type DatabaseContractContext } from "./subject.ts";

/** Registers the cases of transactions. */
export function transactionCases(context: DatabaseContractContext): void {
  const { beforeEach, test } = context.runner;
  const { database } = context;
  const insert = (id: number): Promise<number> =>
    database.exec(sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`);
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const fails = (): Promise<unknown> => database.exec(sql`insert into c_items (id, name, amount) values (1, 'x', -1)`);
  /** Inserts item 2 through another service, outside the transaction. */
  const insertElsewhere = async (): Promise<void> => {
    const other = context.subject.make({ name: "other" });
    await other.start({ services: [other] });
    await other.exec(sql`insert into c_items (id, name, amount) values (2, 'item 2', 2)`).finally(() => other.stop());
  };
  const assertAllReleased = (): void =>
    assert.deepEqual([database.poolStats().used, database.poolStats().waiting], [0, 0]);

  beforeEach(() => clearItems(database));

  test("a callback that returns is committed, and its value returned", async () => {
    assert.equal(await database.transaction(async () => (await insert(1)) + (await insert(2))), 2);
    assert.deepEqual(await ids(), [1, 2]);
    assertAllReleased();
  });
  test("a callback that rejects is rolled back, and the same error is rethrown", async () => {
    const thrown = new Error("stop");
    const callback = async (): Promise<void> => {
      await insert(1);
      throw thrown;
    };
    await assert.rejects(database.transaction(callback), (caught) => caught === thrown);
    assert.deepEqual(await ids(), []);
    assertAllReleased();
  });
  for (const [text, statement] of Object.entries({
    begin: sql`begin`,
    "start transaction": sql`start transaction`,
    COMMIT: sql`COMMIT`,
    "rollback behind comments": sql`----------------------------
      -- the end --
      ;/* of ** it
      */ rollback`,
    savepoint: sql`savepoint a`,
    "rollback to a savepoint": sql`/* back */ rollback to a`,
    "release savepoint": sql`release savepoint a`,
  })) {
    test(`the statement ${text} is refused, in a transaction and outside`, async () => {
      await assertErrorCode("E_SQL_TRANSACTION", () => database.exec(statement));
      const transaction = database.transaction(async () => {
        await insert(1);
        await database.exec(statement);
      });
      await assertErrorCode("E_SQL_TRANSACTION", () => transaction);
      assert.deepEqual(await ids(), []);
    });
  }
  test("a table is created and rolled back with the transaction, or refused", async () => {
    const created = sql`create table c_created (id integer)`;
    await assert.rejects(
      database.transaction(async (handle) => {
        await insert(1);
        for await (const _ of handle.stream(created)) assert.fail("a created table has no rows");
        await handle.exec(sql`insert into c_created values (1)`);
        throw new Error("stop");
      }),
      database.dialect().name === "mariadb" ? { code: "E_SQL_TRANSACTION" } : /stop/,
    );
    assert.deepEqual(await ids(), []);
    await database.exec(created);
    await database.exec(sql`drop table c_created`);
  });
  test("a callback that throws synchronously is rolled back", async () => {
    await assert.rejects(
      database.transaction(() => {
        throw new Error("stop");
      }),
      /stop/,
    );
    assertAllReleased();
  });
  test("a result with an error is rolled back, and returned", async () => {
    const result = await database.transaction(async () => {
      await insert(1);
      return error("no");
    });
    assert.deepEqual(result, { ok: false, error: "no" });
    assert.deepEqual(await ids(), []);
  });
  test("a result with a value is committed", async () => {
    const result = await database.transaction(async () => {
      await insert(1);
      return ok(5);
    });
    assert.deepEqual(result, { ok: true, value: 5 });
    assert.deepEqual(await ids(), [1]);
  });
  test("transactionOrThrow returns the value of a result", async () => {
    assert.equal(await database.transactionOrThrow(async () => ok(await insert(1))), 1);
    assert.deepEqual(await ids(), [1]);
  });
  test("transactionOrThrow rolls back and throws the error of a result", async () => {
    const callback = async () => {
      await insert(1);
      return error("no such thing");
    };
    const thrown = await assertErrorCode("E_DATABASE_RESULT", () => database.transactionOrThrow(callback));
    assert.equal(thrown.cause, "no such thing");
    assert.deepEqual(await ids(), []);
  });

  test("changes are visible inside the transaction, and outside after the commit", async () => {
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
  test("concurrent operations are all part of the transaction", async () => {
    await database.transaction(async () => {
      await Promise.all([insert(1), insert(2), insert(3)]);
    });
    assert.deepEqual(await ids(), [1, 2, 3]);
  });
  test("an operation that is not awaited is part of the transaction", async () => {
    await database.transaction(() => {
      void insert(1);
    });
    assert.deepEqual(await ids(), [1]);
  });
  test("concurrent transactions are separate", async () => {
    const failing = database.transaction(async () => {
      await insert(1);
      throw new Error("stop");
    });
    const succeeding = database.transaction(async () => insert(2));
    await Promise.allSettled([failing, succeeding]);
    assert.deepEqual(await ids(), [2]);
  });

  test("using a handle after the end of its transaction is an error", async () => {
    let handle: Handle | undefined;
    await database.transaction((transactionHandle) => {
      handle = transactionHandle;
    });
    await assertErrorCode("E_DATABASE_HANDLE_ENDED", () => handle?.exec(sql`delete from c_items`));
    await assertErrorCode("E_DATABASE_HANDLE_ENDED", () => handle?.transaction(() => {}));
  });
  test("an operation that continues after the end of the transaction is an error", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
    let late: Promise<number> | undefined;
    await database.transaction(() => {
      late = ended.then(() => insert(1));
    });
    end(undefined);
    await assertErrorCode("E_DATABASE_HANDLE_ENDED", () => late);
    assert.deepEqual(await ids(), []);
  });

  test("a transaction accepts no statement after a failed one", async () => {
    const callback = async (): Promise<void> => {
      await insert(1);
      await assertErrorCode("E_DATABASE_CHECK", fails);
      await insert(2);
    };
    const thrown = await assertErrorCode("E_DATABASE_TRANSACTION_ABORTED", () => database.transaction(callback));
    assert.match(thrown.message, /check constraint/);
    assert.deepEqual(await ids(), []);
  });
  test("a transaction with a swallowed failure of a statement cannot be committed", async () => {
    const callback = async (): Promise<string> => {
      await insert(1);
      await fails().catch(() => {});
      return "fine";
    };
    await assertErrorCode("E_DATABASE_TRANSACTION_ABORTED", () => database.transaction(callback));
    assert.deepEqual(await ids(), []);
  });
  test("an invalid value does not abort the transaction", async () => {
    await database.transaction(async () => {
      await assertErrorCode("E_SQL_TEXT", () => database.exec(sql`insert into c_text (id, v) values (1, ${"\0"})`));
      await assertErrorCode("E_DATABASE_NO_ROW", () => database.find(sql`select id from c_items`));
      await insert(1);
    });
    assert.deepEqual(await ids(), [1]);
  });

  test("afterCommit callbacks run in order, after the commit and the release of the connection", async () => {
    const calls: unknown[] = [];
    await database.transaction(async () => {
      database.afterCommit(async () => calls.push(await ids(), database.poolStats().used));
      database.afterCommit(() => calls.push("second"));
      await insert(1);
      assert.deepEqual(calls, []);
    });
    assert.deepEqual(calls, [[1], 0, "second"]);
  });
  test("a rollback drops afterCommit callbacks", async () => {
    const calls: string[] = [];
    await database.transaction(() => {
      database.afterCommit(() => calls.push("no"));
      return error("no");
    });
    assert.deepEqual(calls, []);
  });
  test("afterCommit outside a transaction runs its callback immediately", () => {
    const calls: string[] = [];
    database.afterCommit(() => calls.push("now"));
    assert.deepEqual(calls, ["now"]);
  });
  test("an error of an afterCommit callback does not affect the others", async () => {
    const calls: string[] = [];
    await database.transaction(() => {
      database.afterCommit(() => {
        throw new Error("expected by a test");
      });
      database.afterCommit(() => calls.push("second"));
    });
    assert.deepEqual(calls, ["second"]);
  });

  test("a read-only transaction can read, and refuses writes", async () => {
    await insert(1);
    assert.deepEqual(await database.transaction(ids, { readOnly: true }), [1]);
    await assertErrorCode("E_DATABASE_READ_ONLY", () => database.transaction(() => insert(2), { readOnly: true }));
    assert.equal(await insert(3), 1);
  });
  for (const isolation of ["read committed", "repeatable read", "serializable"] satisfies Isolation[]) {
    test(`isolation can be ${isolation}`, async () => {
      await database.transaction(() => insert(1), { isolation });
      assert.deepEqual(await ids(), [1]);
    });
  }
  test("repeatable read sees one snapshot", async () => {
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
  test("a deadlock or serialization failure is retried up to the limit, also with a stopped clock", async () => {
    using _ = fakeClock();
    for (const code of ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION"]) {
      let attempts = 0;
      const collide = (times: number) => async (): Promise<number> => {
        attempts += 1;
        await insert(attempts);
        if (attempts <= times) throw new LimmatError(code, "expected by a test");
        return attempts;
      };
      assert.equal(await database.transaction(collide(2), { maxRetries: 2 }), 3);
      assert.deepEqual(await ids(), [3]);
      await clearItems(database);
      attempts = 0;
      await assertErrorCode(code, () => database.transaction(collide(3), { maxRetries: 2 }));
      attempts = 0;
      await assertErrorCode(code, () => database.transaction(collide(1)));
      assert.deepEqual([attempts, await ids()], [1, []]);
    }
    assertAllReleased();
  });

  test("an abort ends the retry delay", async () => {
    const control = new AbortController();
    const reason = new Error("expected by a test");
    let attempts = 0;
    const collide = async (): Promise<never> => {
      if (++attempts === 8) setImmediate(() => control.abort(reason));
      throw new LimmatError("E_DATABASE_DEADLOCK", "expected by a test");
    };
    await assert.rejects(database.transaction(collide, { maxRetries: Infinity, signal: control.signal }), reason);
    assertAllReleased();
  });

  test("thousands of failing transactions release every connection in a clean state", async () => {
    const rounds = context.subject.isShort === true ? 10 : 100;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const callback = async (): Promise<unknown> => {
            await insert(index + 1);
            if (index % 3 === 0) return error("no");
            if (index % 3 === 1) throw new Error("stop");
            return fails();
          };
          await database.transaction(callback).catch(() => {});
        }),
      );
      assertAllReleased();
    }
    assert.deepEqual(await ids(), []);
  });

  nestedCases(context);
  endedScopeCases(context);
}
