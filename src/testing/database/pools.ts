import assert from "node:assert/strict";
import { type Database, type DatabaseOptions, Row, sql } from "../../database/index.ts";
import { fakeClock } from "../replace.ts";
import { assertCode, refuses } from "./assert-code.ts";
import { clearItems, type Setting } from "./subject.ts";

/** What pools, contexts, signals and time-outs promise. */
export function poolCases({ subject, database, runner }: Setting): void {
  const { beforeEach, test } = runner;
  const insert = (id: number, on: Database = database, ctx?: readonly (readonly [string, string])[]): Promise<number> =>
    on.exec(
      sql`insert into c_items (id, name, amount) values (${id}, ${`item ${id}`}, ${id})`,
      ctx === undefined ? undefined : { ctx },
    );
  const ids = (): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items order by id`);
  const other = async (work: (made: Database) => Promise<void>, options: DatabaseOptions = {}): Promise<void> => {
    const made = subject.make({ name: "other", ...options });
    await made.start({ services: [made] });
    await work(made).finally(() => made.stop());
  };

  beforeEach(() => clearItems(database));

  test("the context chooses a pool that was added", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url(), size: 2 });
      await insert(1, made, [["pool", "second"]]);
      assert.deepEqual(await ids(), [1]);
      await made.dropPool("second");
      await assertCode("E_DATABASE_POOL_UNKNOWN", () => insert(2, made, [["pool", "second"]]));
    }));
  test("an unknown pool is an error that names those there are", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url() });
      const thrown = await assertCode("E_DATABASE_POOL_UNKNOWN", () => insert(1, made, [["pool", "third"]]));
      assert.match(thrown.message, /third.*second/);
      await assertCode("E_DATABASE_POOL_UNKNOWN", () => made.dropPool("third"));
    }));
  test("a pool of a name that is taken is an error", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url() });
      await assertCode("E_DATABASE_POOL_EXISTS", () => made.addPool({ name: "second", url: subject.url() }));
    }));
  test("keys of the context that are not known are ignored", async () => {
    await insert(1, database, [["tenant", "a"]]);
    assert.deepEqual(await ids(), [1]);
  });
  test("a pool that the context names wins over the transaction around", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url() });
      await made.transaction(
        async () => {
          const seen = sql.value(Row.int)`select count(*) from c_items`;
          assert.equal(await made.find(seen, { ctx: [["pool", "second"]] }), 0);
        },
        { readOnly: true },
      );
    }));
  test("the context's pool joins the transaction that runs on it", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url() });
      const ctx = [["pool", "second"]] as const;
      const work = async (): Promise<void> => {
        await insert(1, made, ctx);
        throw new Error("stop");
      };
      await assert.rejects(made.transaction(work, { ctx }), /stop/);
      assert.deepEqual(await ids(), []);
    }));

  test("waiting for a connection ends with an error", () =>
    other(
      async (made) => {
        const hold = Promise.withResolvers<undefined>();
        const lent = Array.from({ length: made.counts().size }, () => Promise.withResolvers<undefined>());
        const holders = lent.map(({ resolve }) =>
          made.query(() => {
            resolve(undefined);
            return hold.promise;
          }),
        );
        await Promise.all(lent.map(({ promise }) => promise));
        {
          using clock = fakeClock();
          const refused = refuses("E_DATABASE_POOL_TIMEOUT", () => made.query(() => {}));
          await clock.advance(7000);
          await refused;
        }
        hold.resolve(undefined);
        await Promise.all(holders);
        assert.equal(await made.query(() => 5), 5);
        assert.deepEqual(made.counts().waiting, 0);
      },
      { acquireTimeout: 7000 },
    ));
  test("the service measures its pools: connections in use and free, those there may be, and who waits", () =>
    other(async (made) => {
      await made.addPool({ name: "second", url: subject.url(), size: 4 });
      const { size } = made.counts();
      const hold = Promise.withResolvers<undefined>();
      const lent = Array.from({ length: size }, () => Promise.withResolvers<undefined>());
      const holders = lent.map(({ resolve }) =>
        made.query(() => {
          resolve(undefined);
          return hold.promise;
        }),
      );
      await Promise.all(lent.map(({ promise }) => promise));
      const waiting = made.query(() => {});
      const measured = async (): Promise<ReadonlyMap<string, number>> =>
        new Map(
          ((await made.measure?.()) ?? []).flatMap(({ name, samples }) =>
            samples.map(({ value, labels = {} }) => [
              [name.replace("db_client_connection_", ""), ...Object.values(labels)].join(" "),
              value,
            ]),
          ),
        );
      const busy = await measured();
      hold.resolve(undefined);
      await Promise.all([...holders, waiting]);
      const calm = await measured();
      const figures = ["count other used", "count other idle", "max other", "pending_requests other"];
      assert.deepEqual(
        figures.map((figure) => busy.get(figure)),
        [size, 0, size, 1],
      );
      assert.deepEqual(
        figures.map((figure) => calm.get(figure)),
        [0, size, size, 0],
      );
      assert.deepEqual(
        ["count other/second used", "count other/second idle", "pending_requests other/second"].map((figure) =>
          calm.get(figure),
        ),
        [0, 1, 0],
      );
    }));
  test("those that wait for a connection get it in their order", () =>
    other(async (made) => {
      const hold = Promise.withResolvers<undefined>();
      const holders = Array.from({ length: made.counts().size }, () => made.query(() => hold.promise));
      const order: number[] = [];
      const waiting = [1, 2, 3, 4, 5].map((number) => made.query(() => void order.push(number)));
      hold.resolve(undefined);
      await Promise.all([...holders, ...waiting]);
      assert.deepEqual(order, [1, 2, 3, 4, 5]);
    }));
  test("a signal that is aborted already gives its reason, and nothing is done", async () => {
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
    other(async (made) => {
      const hold = Promise.withResolvers<undefined>();
      const holders = Array.from({ length: made.counts().size }, () => made.query(() => hold.promise));
      const controller = new AbortController();
      const waiting = made.query(() => {}, { signal: controller.signal });
      controller.abort(new Error("gone"));
      await assert.rejects(waiting, /gone/);
      hold.resolve(undefined);
      await Promise.all(holders);
    }));
  test("a signal rolls a transaction back, even if its work never ends", async () => {
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
    assert.equal(database.counts().lent, 0);
  });
  test("a time-out rolls a transaction back, even if its work never ends", async () => {
    const work = async (): Promise<void> => {
      await insert(1);
      await new Promise(() => {});
    };
    await assertCode("E_DATABASE_TIMEOUT", () => database.transaction(work, { timeout: 100 }));
    assert.deepEqual(await ids(), []);
  });
  test("operations with a signal or a time-out that are not needed work", async () => {
    const { signal } = new AbortController();
    const count = sql.value(Row.int)`select count(*) from c_items`;
    assert.equal(await database.find(count, { signal, timeout: 10_000 }), 0);
    assert.equal(await database.transaction(() => database.find(count, { signal, timeout: 10_000 })), 0);
  });

  test("a service that is not started is an error that says so", () =>
    refuses("E_DATABASE_NOT_STARTED", () => subject.make({ name: "other" }).find(sql`select 1 as v`)));
  test("a service can be started again after it was stopped", async () => {
    const made = subject.make({ name: "other" });
    for (let round = 0; round < 3; round++) {
      await made.start({ services: [made] });
      assert.equal(await made.find(sql.value(Row.int)`select 1 as v`), 1);
      await made.stop();
    }
  });
  test("stopping waits for what is under way", async () => {
    const made = subject.make({ name: "other" });
    await made.start({ services: [made] });
    const work = made.transaction(async () => {
      await insert(1, made);
      await new Promise((resolve) => setImmediate(resolve));
      return insert(2, made);
    });
    await new Promise((resolve) => setImmediate(resolve));
    const [written] = await Promise.all([work, made.stop()]);
    assert.equal(written, 1);
    assert.deepEqual(await ids(), [1, 2]);
  });
  test("a service that runs is healthy", () => database.health?.());
}
