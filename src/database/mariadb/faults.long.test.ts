import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { mariadb as kind, queryRows, startMariadb } from "../../../test/servers/mariadb.ts";
import { type FaultyProxy, startFaultyProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { rejectsWithCode } from "../../testing/contracts/assert-error-code.ts";
import { capturedLog } from "../../testing/index.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { mariadb, type MariadbOptions } from "./mariadb.ts";

const started = new Set<Database>();

async function start(options: MariadbOptions): Promise<Database> {
  const database = mariadb(options);
  await database.start({ services: [database] });
  started.add(database);
  return database;
}

after(async () => {
  for (const database of started) await database.stop();
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const selectOne = sql.value(Row.int)`select 1 as v`;
const insert = (id: number) => sql`insert into entries (id) values (${id})`;
const ids = sql.value(Row.int)`select id from entries order by id`;
const add = (id: number, amount = 1) => sql`update accounts set balance = balance + ${amount} where id = ${id}`;
const sum = sql.value(Row.int)`select sum(balance) from accounts`;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  /** Returns the thread IDs of the other connections to the database that match a condition. */
  const threadIds = async (where: string): Promise<readonly unknown[]> => {
    const rows = await queryRows(
      url,
      `select id from information_schema.processlist
      where db = '${name}' and id <> connection_id() and ${where}`,
    );
    return rows.map(([id]) => id);
  };
  /** Kills connections and waits until they are closed. */
  const kill = async (where: string): Promise<void> => {
    const matchingIds = await threadIds(where);
    for (const id of matchingIds) await queryRows(url, `kill ${String(id)}`).catch(() => {});
    while (matchingIds.length > 0 && (await threadIds(`id in (${matchingIds.join(", ")})`)).length > 0) await pause(5);
  };
  /** Waits until a statement that matches the pattern runs on the server. */
  const waitUntilRunning = async (pattern: string): Promise<void> => {
    while ((await threadIds(`info like '${pattern}'`)).length === 0) await pause(5);
  };
  let database: Database;

  before(async () => {
    database = await start({ url });
    await database.exec(sql`create table entries (id integer primary key)`);
    await database.exec(sql`create table accounts (id integer primary key, balance integer not null)`);
  });
  beforeEach(async () => {
    await database.exec(sql`delete from entries`);
    await database.exec(sql`delete from accounts`);
    await database.exec(sql`insert into accounts select seq, 1000 from seq_1_to_20`);
  });

  describe("a connection closed by the server", () => {
    test("when idle: the next operations succeed", async () => {
      await Promise.all([database.find(selectOne), database.exec(insert(1))]);
      await kill("command = 'Sleep'");
      assert.equal(await database.find(selectOne), 1);
      await pause(20);
      assert.deepEqual(await database.collect(ids), [1]);
      assert.equal(await database.transaction(() => database.exec(insert(2))), 1);
    });
    test("in a read: retries the read once", async () => {
      const slow = database.find(sql.value(Row.int)`select sleep(0.4) as v`);
      await waitUntilRunning("select sleep%");
      await kill("info like 'select sleep%'");
      assert.equal(await slow, 0);
    });
    test("in a write: a typed error without a retry", async () => {
      const slow = database.exec(sql`insert into entries (id) select 1 + sleep(20)`);
      const refused = rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => slow);
      await waitUntilRunning("insert into entries%");
      await kill("info like 'insert into entries%'");
      await refused;
      assert.deepEqual(await database.collect(ids), []);
    });
    test("in a transaction: a typed error, a rollback and no retry", async () => {
      let runs = 0;
      const callback = async (): Promise<void> => {
        runs += 1;
        await database.exec(insert(1));
        await kill("command = 'Sleep'");
        await database.exec(insert(2));
      };
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => database.transaction(callback));
      assert.deepEqual([runs, await database.collect(ids), database.poolStats().used], [1, [], 0]);
    });
  });

  describe("a failing network", () => {
    let proxy: FaultyProxy;
    let distant: Database;
    before(async () => {
      const { hostname, port } = new URL(url);
      proxy = await startFaultyProxy(hostname, Number(port || 3306));
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(proxy.port);
      distant = await start({
        url: through.href,
        statementTimeoutMs: 1000,
        connectTimeoutMs: 5000,
        acquireTimeoutMs: 5000,
      });
    });
    after(() => proxy.close());

    test("connection reset at BEGIN: a typed error, and the pool stays usable", async () => {
      proxy.resetOnText("start transaction");
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => distant.transaction(() => distant.exec(insert(1))));
      assert.deepEqual(await distant.transaction(() => distant.collect(ids)), []);
      assert.equal(distant.poolStats().used, 0);
    });
    test("connection reset at COMMIT: an error that reports an unknown outcome", async () => {
      proxy.resetOnText("commit");
      await rejectsWithCode("E_DATABASE_COMMIT_UNKNOWN", () => distant.transaction(() => distant.exec(insert(1))));
      assert.equal(await distant.find(selectOne), 1);
    });
    test("a server that does not respond: timeout errors for all, then recovery", async () => {
      // Open all connections first, so that none is opened while the proxy drops traffic.
      const allAcquired = Promise.withResolvers<undefined>();
      let acquired = 0;
      const warmUps = Array.from({ length: distant.poolStats().size }, () =>
        distant.query(async (handle) => {
          await handle.find(selectOne);
          if (++acquired === distant.poolStats().size) allAcquired.resolve(undefined);
          await allAcquired.promise;
        }),
      );
      await Promise.all([distant.find(selectOne), ...warmUps]);
      const begun = Promise.withResolvers<undefined>();
      const dropping = Promise.withResolvers<undefined>();
      const outcomes = Promise.allSettled([
        distant.transaction(async () => {
          await distant.exec(insert(7));
          begun.resolve(undefined);
          await dropping.promise;
          await distant.exec(insert(8));
        }),
        dropping.promise.then(() => distant.transaction(() => distant.exec(insert(9)))),
        dropping.promise.then(() => distant.find(selectOne)),
        dropping.promise.then(() => distant.find(selectOne, { timeoutMs: 200 })),
      ]);
      await begun.promise;
      proxy.dropTraffic();
      dropping.resolve(undefined);
      const codes = (await outcomes).map((outcome) =>
        outcome.status === "rejected" && isError(outcome.reason) ? outcome.reason.code : outcome.status,
      );
      const timedOut = ["E_DATABASE_TIMEOUT", "E_DATABASE_CONNECT", "E_DATABASE_POOL_TIMEOUT"];
      assert.ok(
        codes.every((code) => timedOut.includes(code)),
        codes.join(", "),
      );

      // The first operations succeed: none waits for a dead connection.
      proxy.forwardTraffic();
      assert.equal(await distant.find(selectOne), 1);
      assert.equal(await distant.exec(insert(10)), 1);
      assert.equal(distant.poolStats().used, 0);
    });
    test("a silent database: operations fail at once after the first timeout, and recover by themselves", async () => {
      using log = capturedLog("error");
      await distant.find(selectOne);
      proxy.dropTraffic();
      await rejectsWithCode("E_DATABASE_TIMEOUT", () => distant.exec(insert(11)));
      const codeOf = async (): Promise<unknown> =>
        distant.find(selectOne, { timeoutMs: 500 }).then(
          () => "answered",
          (error: unknown) => isError(error) && error.code,
        );
      while ((await codeOf()) !== "E_DATABASE_UNAVAILABLE") await new Promise((resolve) => setTimeout(resolve, 5));
      const operations = [
        () => distant.find(selectOne),
        () => distant.exec(insert(12)),
        () => distant.transaction(() => {}),
        async () => distant.health?.(),
      ];
      const startMs = performance.now();
      for (const operation of operations) await rejectsWithCode("E_DATABASE_UNAVAILABLE", operation);
      assert.ok(performance.now() - startMs < 500, `${performance.now() - startMs} ms`);
      assert.deepEqual(distant.poolStats().waiting, 0);
      assert.equal(log.entries.length, 1);

      proxy.forwardTraffic();
      while ((await codeOf()) !== "answered") await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await distant.transaction(() => distant.find(selectOne)), 1);
    });
  });

  describe("conflicting transactions", () => {
    /** Runs two transactions that lock rows 1 and 2 in opposite orders. */
    const collide = (lockSecond: (id: number) => Promise<unknown>): Promise<PromiseSettledResult<unknown>[]> => {
      const [first, other] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      return Promise.allSettled([
        database.transaction(async () => {
          await database.exec(add(1));
          first.resolve(undefined);
          await other.promise;
          await lockSecond(2);
        }),
        database.transaction(async () => {
          await database.exec(add(2));
          other.resolve(undefined);
          await first.promise;
          await lockSecond(1);
        }),
      ]);
    };
    const failures = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
      outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));

    test("a deadlock is a typed error for one transaction, and the other one commits", async () => {
      const failed = failures(await collide((id) => database.exec(add(id))));
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0], "E_DATABASE_DEADLOCK"));
      assert.equal(await database.find(sum), 20_002);
    });
    test("rolls back a deadlocked transaction completely, including concurrently started statements", async () => {
      const outcomes = await collide((id) =>
        Promise.all([database.exec(add(id)), ...[11, 12, 13].map((other) => database.exec(add(other)))]),
      );
      assert.equal(failures(outcomes).length, 1);
      assert.equal(await database.find(sum), 20_005);
      assert.deepEqual([database.poolStats().used, await database.exec(add(1, -1))], [0, 1]);
    });
    test("a repeatable read that would overwrite a committed change is a typed error", async () => {
      const callback = async (): Promise<void> => {
        const balance = await database.find(sql.value(Row.int)`select balance from accounts where id = 1`);
        const other = await start({ url, name: "other" });
        await other.exec(add(1));
        await database.exec(sql`update accounts set balance = ${balance + 1} where id = 1`);
      };
      await rejectsWithCode("E_DATABASE_SERIALIZATION", () =>
        database.transaction(callback, { isolation: "repeatable read" }),
      );
      assert.equal(await database.find(sum), 20_001);
    });
    test("a lock timeout is a typed error", async () => {
      const impatientDatabase = await start({ url, lockTimeoutMs: 1000 });
      await database.exec(insert(1));
      const release = Promise.withResolvers<undefined>();
      const locked = Promise.withResolvers<undefined>();
      const lockingTransaction = database.transaction(async () => {
        await database.exec(sql`update entries set id = 1 where id = 1`);
        locked.resolve(undefined);
        await release.promise;
      });
      await locked.promise;
      await rejectsWithCode("E_DATABASE_LOCK_TIMEOUT", () =>
        impatientDatabase.exec(sql`delete from entries where id = 1`),
      );
      release.resolve(undefined);
      await lockingTransaction;
      assert.equal(await impatientDatabase.exec(sql`delete from entries where id = 1`), 1);
    });
  });

  describe("a cancelled statement", () => {
    test("is killed on the server", async () => {
      const controller = new AbortController();
      const slow = database.exec(sql`insert into entries (id) select 5 + sleep(10)`, { signal: controller.signal });
      await waitUntilRunning("insert into entries%");
      controller.abort(new Error("gone"));
      await assert.rejects(slow, /gone/);
      while ((await threadIds("info like 'insert into entries%'")).length > 0) await pause(10);
      assert.deepEqual(await database.collect(ids), []);
    });
    test("does not cancel the next statement on its connection", async () => {
      await database.addPool({ name: "single", url, size: 1 });
      const ctx = [["pool", "single"]] as const;
      for (let round = 0; round < 100; round++) {
        const timedOut = database.find(sql`select sleep(0.01) as v`, { ctx, timeoutMs: 8 + (round % 5) });
        const next = Array.from({ length: 4 }, () =>
          database.find(sql.value(Row.int)`select sleep(0.001) as v`, { ctx }),
        );
        await timedOut.catch((error: unknown) => assert.ok(isError(error, "E_DATABASE_TIMEOUT"), String(error)));
        // A killed sleep() returns 1.
        assert.deepEqual(await Promise.all(next), [0, 0, 0, 0]);
      }
    });
    test("an abandoned stream ends quickly, independent of its remaining rows", async () => {
      const startMs = performance.now();
      await database.transaction(async () => {
        await database.exec(insert(1));
        const rows = database.stream(sql.value(Row.int)`select seq from seq_1_to_1000000000`);
        for await (const row of rows) if (row === 1000) break;
        assert.equal(await database.exec(insert(2)), 1);
      });
      // Reading all rows would take many minutes.
      assert.ok(performance.now() - startMs < 30_000, `${performance.now() - startMs} ms`);
      assert.deepEqual(await database.collect(ids), [1, 2]);
    });
  });

  test("reads a table again after it changed under prepared statements", async () => {
    await database.exec(sql`create table changing (a integer)`);
    await database.exec(sql`insert into changing values (1)`);
    const statement = sql`select * from changing`;
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1 });
    await database.exec(sql`alter table changing add column b varchar(9) default 'new'`);
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1, b: "new" });
  });
});

test("recovers soon after a server killed under load restarts", async (t) => {
  const server = await startMariadb();
  if (server === undefined) {
    t.skip("MariaDB is not installed");
    return;
  }
  try {
    await queryRows(server.url, "create database app");
    const database = await start({ url: `${server.url}app`, connectTimeoutMs: 5000, name: "restarted" });
    await database.exec(sql`create table entries (id integer primary key)`);
    const committed: number[] = [];
    const load = new AbortController();
    let next = 0;
    const workers = Array.from({ length: 8 }, async () => {
      while (!load.signal.aborted) {
        const id = next++;
        await database
          .transaction(() => database.exec(insert(id)))
          .then(
            () => committed.push(id),
            (error: unknown) => assert.ok(isError(error), String(error)),
          );
        await database.find(selectOne).catch((error: unknown) => assert.ok(isError(error), String(error)));
      }
    });
    while (committed.length < 50) await pause(10);
    await server.kill();
    await rejectsWithCode("E_DATABASE_CONNECT", () => database.exec(insert(-1)));
    await server.restart();
    const restartedAtMs = performance.now();
    const count = committed.length;
    while (committed.length < count + 50) await pause(10);
    // A generous limit for slow machines; errors must not continue for minutes.
    assert.ok(performance.now() - restartedAtMs < 30_000, `${performance.now() - restartedAtMs} ms`);
    load.abort();
    await Promise.all(workers);
    await database.stop();
    started.delete(database);
  } finally {
    await server.stop();
  }
});
