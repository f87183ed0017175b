import assert from "node:assert/strict";
import { type Database, type DatabaseOptions, Row, sql } from "limmat/database";
import { Time } from "limmat";
import { assertErrorCode, configuration, fakeClock, waitFor } from "limmat/testing";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { clearItems, type DatabaseContractContext } from "./subject.ts";

/** Registers the cases of pools, contexts, signals and timeouts. */
export function poolCases({ subject, database, runner }: DatabaseContractContext): void {
  const { beforeEach, test } = runner;
  const insert = (
    id: number,
    service: Database = database,
    ctx?: readonly (readonly [string, string])[],
  ): Promise<number> =>
    service.exec(
      sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`,
      ctx === undefined ? undefined : { ctx },
    );
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const withService = async (
    callback: (service: Database) => Promise<void>,
    options: DatabaseOptions = {},
  ): Promise<void> => {
    const service = subject.make({ name: "other", ...options });
    await service.start({ services: [service] });
    await callback(service).finally(() => service.stop());
  };
  /** Runs a case that needs concurrent connections. SQLite answers each statement synchronously, so it is left out. */
  const withServer = async (callback: (service: Database) => Promise<void>): Promise<void> => {
    if (database.dialect().name !== "sqlite") await withService(callback);
  };

  /**
   * Waits until all connections are free. A cancellation of a statement that held up others may still use two of them when
   * the statement was answered.
   */
  const waitUntilUnused = (service: Database): Promise<true> =>
    waitFor(() => {
      assert.deepEqual([service.poolStats().used, service.poolStats().waiting], [0, 0]);
      return true as const;
    });

  beforeEach(() => clearItems(database));

  test("the context selects a pool by name", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url(), size: 2 });
      await insert(1, service, [["pool", "second"]]);
      assert.deepEqual(await ids(), [1]);
      await service.dropPool("second");
      await assertErrorCode("E_DATABASE_POOL_UNKNOWN", () => insert(2, service, [["pool", "second"]]));
    }));
  test("an unknown pool is an error that lists the existing pools", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url() });
      const thrown = await assertErrorCode("E_DATABASE_POOL_UNKNOWN", () => insert(1, service, [["pool", "third"]]));
      assert.match(thrown.message, /third.*second/);
      await assertErrorCode("E_DATABASE_POOL_UNKNOWN", () => service.dropPool("third"));
    }));
  test("a pool with an existing name is an error", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url() });
      await assertErrorCode("E_DATABASE_POOL_EXISTS", () => service.addPool({ name: "second", url: subject.url() }));
    }));
  test("unknown keys of the context are ignored", async () => {
    await insert(1, database, [["tenant", "a"]]);
    assert.deepEqual(await ids(), [1]);
  });
  test("a pool in the context takes precedence over the current transaction", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url() });
      await service.transaction(
        async () => {
          const count = sql.value(Row.int)`select count(*) from c_items`;
          assert.equal(await service.find(count, { ctx: [["pool", "second"]] }), 0);
        },
        { readOnly: true },
      );
    }));
  test("a pool in the context joins the current transaction on that pool", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url() });
      const ctx = [["pool", "second"]] as const;
      const callback = async (): Promise<void> => {
        await insert(1, service, ctx);
        throw new Error("stop");
      };
      await assert.rejects(service.transaction(callback, { ctx }), /stop/);
      assert.deepEqual(await ids(), []);
    }));

  test("waiting for a connection times out with an error", () =>
    withService(
      async (service) => {
        const hold = Promise.withResolvers<undefined>();
        const acquired = Array.from({ length: service.poolStats().size }, () => Promise.withResolvers<undefined>());
        const holders = acquired.map(({ resolve }) =>
          service.query(() => {
            resolve(undefined);
            return hold.promise;
          }),
        );
        await Promise.all(acquired.map(({ promise }) => promise));
        {
          using clock = fakeClock();
          const timedOut = rejectsWithCode("E_DATABASE_POOL_TIMEOUT", () => service.query(() => {}));
          await clock.advance(7000);
          await timedOut;
        }
        hold.resolve(undefined);
        await Promise.all(holders);
        assert.equal(await service.query(() => 5), 5);
        assert.deepEqual(service.poolStats().waiting, 0);
      },
      { acquireTimeoutMs: 7000 },
    ));
  test("an operation fails at once if too many wait for a connection", async () => {
    using _ = configuration({ DATABASE_POOL_WAITING: "2" });
    await withService(async (service) => {
      const hold = Promise.withResolvers<undefined>();
      const { size } = service.poolStats();
      const accepted = Array.from({ length: size + 2 }, () => service.query(() => hold.promise));
      await assertErrorCode("E_DATABASE_POOL_FULL", () => service.query(() => {}));
      hold.resolve(undefined);
      await Promise.all(accepted);
      assert.equal(await service.query(() => 5), 5);
    });
  });
  test("the service measures used, idle and maximum connections and pending requests of its pools", () =>
    withService(async (service) => {
      await service.addPool({ name: "second", url: subject.url(), size: 4 });
      const { size } = service.poolStats();
      const hold = Promise.withResolvers<undefined>();
      const acquired = Array.from({ length: size }, () => Promise.withResolvers<undefined>());
      const holders = acquired.map(({ resolve }) =>
        service.query(() => {
          resolve(undefined);
          return hold.promise;
        }),
      );
      await Promise.all(acquired.map(({ promise }) => promise));
      const waiting = service.query(() => {});
      const readMetrics = async (): Promise<ReadonlyMap<string, number>> =>
        new Map(
          ((await service.measure?.()) ?? []).flatMap(({ name, samples }) =>
            samples.map(({ value, labels = {} }) => [
              [name.replace("db_client_connection_", ""), ...Object.values(labels)].join(" "),
              value,
            ]),
          ),
        );
      const busyMetrics = await readMetrics();
      hold.resolve(undefined);
      await Promise.all([...holders, waiting]);
      const idleMetrics = await readMetrics();
      const figures = ["count other used", "count other idle", "max other", "pending_requests other"];
      assert.deepEqual(
        figures.map((figure) => busyMetrics.get(figure)),
        [size, 0, size, 1],
      );
      assert.deepEqual(
        figures.map((figure) => idleMetrics.get(figure)),
        [0, size, size, 0],
      );
      assert.deepEqual(
        ["count other/second used", "count other/second idle", "pending_requests other/second"].map((figure) =>
          idleMetrics.get(figure),
        ),
        [0, 1, 0],
      );
    }));
  test("waiting requests get a connection in order", () =>
    withService(async (service) => {
      const hold = Promise.withResolvers<undefined>();
      const holders = Array.from({ length: service.poolStats().size }, () => service.query(() => hold.promise));
      const order: number[] = [];
      const waiting = [1, 2, 3, 4, 5].map((number) => service.query(() => void order.push(number)));
      hold.resolve(undefined);
      await Promise.all([...holders, ...waiting]);
      assert.deepEqual(order, [1, 2, 3, 4, 5]);
    }));
  test("as many transactions run at the same time as the pool has connections", () =>
    withServer(async (service) => {
      await service.addPool({ name: "three", url: subject.url(), size: 3 });
      const ctx = [["pool", "three"]] as const;
      await Promise.all(Array.from({ length: 9 }, () => service.find(sql`select 1 as v`, { ctx })));
      assert.equal(service.poolStats({ ctx }).size, 3);
      const allStarted = Promise.withResolvers<undefined>();
      let started = 0;
      const runTransaction = async (): Promise<void> => {
        if (++started === 3) allStarted.resolve(undefined);
        await allStarted.promise;
      };
      await Promise.all(Array.from({ length: 3 }, () => service.transaction(runTransaction, { ctx })));
      assert.deepEqual(service.poolStats({ ctx }), { size: 3, used: 0, idle: 3, waiting: 0 });
    }));
  for (const history of ["new", "quick until now"]) {
    test(`quick reads wait for no slow ones while a connection is free, if those are ${history}`, () =>
      withServer(async (service) => {
        const slow = sql.value(Row.int)`select count(*) from c_guard`;
        const quick = sql.value(Row.int)`select count(*) from c_parts`;
        const both = history === "new" ? [quick] : [quick, slow];
        for (let round = 0; round < 3; round++) await Promise.all(both.map((read) => service.find(read)));
        const release = await lockTable(database);
        let answered = 0;
        const countAnswer = (): void => void (answered += 1);
        const slowReads = Array.from({ length: service.poolStats().size - 1 }, () =>
          service.find(slow).then(countAnswer),
        );
        const quickReads = Array.from({ length: 50 }, () => service.find(quick));
        await Promise.all(quickReads);
        for (let round = 0; round < 50; round++) await service.find(quick);
        assert.equal(answered, 0);
        assert.equal(await service.transaction(() => service.find(quick)), 0);
        assert.equal(answered, 0);
        await release();
        await Promise.all(slowReads);
        await waitUntilUnused(service);
      }));
  }
  test("reads and transactions share all connections, and neither starves", () =>
    withServer(async (service) => {
      const read = sql.value(Row.int)`select count(*) from c_parts`;
      const ended = new AbortController();
      const readers = Array.from({ length: 40 }, async () => {
        while (!ended.signal.aborted) assert.equal(await service.find(read), 0);
      });
      const { size } = service.poolStats();
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 4 * size }, () => service.transaction(() => service.find(read))));
      }
      ended.abort();
      await Promise.all(readers);
      await waitUntilUnused(service);
    }));
  test("an aborted signal throws its reason before anything runs", async () => {
    const reason = new Error("gone");
    const signal = AbortSignal.abort(reason);
    await assert.rejects(
      database.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1)`, { signal }),
      reason,
    );
    await assert.rejects(
      database.transaction(() => insert(1), { signal }),
      reason,
    );
    assert.deepEqual(await ids(), []);
  });
  test("a signal ends the wait for a connection", () =>
    withService(async (service) => {
      const hold = Promise.withResolvers<undefined>();
      const holders = Array.from({ length: service.poolStats().size }, () => service.query(() => hold.promise));
      const controller = new AbortController();
      const waiting = service.query(() => {}, { signal: controller.signal });
      controller.abort(new Error("gone"));
      await assert.rejects(waiting, /gone/);
      hold.resolve(undefined);
      await Promise.all(holders);
    }));
  test("a signal rolls a transaction back, even if its callback never ends", async () => {
    const controller = new AbortController();
    const running = database.transaction(
      async () => {
        await insert(1);
        controller.abort(new Error("gone"));
        await new Promise(() => {});
      },
      { signal: controller.signal },
    );
    await assert.rejects(running, /gone/);
    assert.deepEqual(await ids(), []);
    assert.equal(database.poolStats().used, 0);
  });
  test("a timeout rolls a transaction back, even if its callback never ends", async () => {
    const callback = async (): Promise<void> => {
      await insert(1);
      await new Promise(() => {});
    };
    await assertErrorCode("E_DATABASE_TIMEOUT", () => database.transaction(callback, { timeoutMs: 100 }));
    assert.deepEqual(await ids(), []);
  });
  test("operations succeed with a signal or timeout that does not fire", async () => {
    const { signal } = new AbortController();
    const count = sql.value(Row.int)`select count(*) from c_items`;
    assert.equal(await database.find(count, { signal, timeoutMs: Time.minutes(10) }), 0);
    assert.equal(await database.transaction(() => database.find(count, { signal, timeoutMs: Time.minutes(10) })), 0);
  });

  test("using a service that is not started is an error", () =>
    rejectsWithCode("E_DATABASE_NOT_STARTED", () => subject.make({ name: "other" }).find(sql`select 1 as v`)));
  test("a service can be started again after it was stopped", async () => {
    const service = subject.make({ name: "other" });
    for (let round = 0; round < 3; round++) {
      await service.start({ services: [service] });
      assert.equal(await service.find(sql.value(Row.int)`select 1 as v`), 1);
      await service.stop();
    }
  });
  test("stopping waits for running operations", async () => {
    const service = subject.make({ name: "other" });
    await service.start({ services: [service] });
    const running = service.transaction(async () => {
      await insert(1, service);
      await new Promise((resolve) => setImmediate(resolve));
      return insert(2, service);
    });
    await new Promise((resolve) => setImmediate(resolve));
    const [written] = await Promise.all([running, service.stop()]);
    assert.equal(written, 1);
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("a running service is healthy", () => database.health?.());
}

/** Locks the table `c_guard`, so that reads of it wait. The returned function unlocks it. */
async function lockTable(database: Database): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const hold = async (): Promise<void> => {
    locked.resolve(undefined);
    await released.promise;
  };
  const holding =
    database.dialect().name === "mariadb"
      ? // The lock belongs to the connection: MariaDB commits before it.
        database.query(async (handle) => {
          await handle.exec(sql`lock tables c_guard write`);
          await hold();
          await handle.exec(sql`unlock tables`);
        })
      : database.transaction(async (handle) => {
          await handle.exec(sql`lock table c_guard in access exclusive mode`);
          await hold();
        });
  await Promise.race([locked.promise, holding]);
  return async () => {
    released.resolve(undefined);
    await holding;
  };
}
