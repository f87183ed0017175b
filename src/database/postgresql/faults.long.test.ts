// Over 300 lines, because all failure cases share one setup.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { runStatement, postgresql as kind, startPostgresql } from "../../../test/servers/postgresql.ts";
import { type FaultyProxy, startFaultyProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { rejectsWithCode } from "../../testing/contracts/assert-error-code.ts";
import { capturedLog } from "../../testing/index.ts";
import type { Database } from "../database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { postgresql, type PostgresqlOptions } from "./postgresql.ts";

const started = new Set<Database>();

async function start(options: PostgresqlOptions): Promise<Database> {
  const database = postgresql(options);
  await database.start({ services: [database] });
  started.add(database);
  return database;
}

after(async () => {
  for (const database of started) await database.stop();
});

const selectOne = sql.value(Row.int)`select 1 as v`;
const insert = (id: number) => sql`insert into entries (id) values (${id})`;
const ids = sql.value(Row.int)`select id from entries order by id`;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  /** Terminates backends and waits until they have exited. */
  const terminate = (where: string): Promise<void> =>
    runStatement(
      url,
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = '${name}' and pid <> pg_backend_pid() and ${where}`,
    );
  /** Waits until `statements` statements that match the pattern run on the server. */
  const waitUntilRunning = async (pattern: string, statements = 1): Promise<void> => {
    const count = sql.value(Row.int)`select count(*) from pg_stat_activity
      where datname = ${name} and state = 'active' and query like ${pattern} and pid <> pg_backend_pid()`;
    while ((await observer.find(count)) < statements) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  let observer: Database;
  let database: Database;

  before(async () => {
    observer = await start({ url, name: "observer" });
    await observer.exec(sql`create table entries (id integer primary key)`);
    await observer.exec(sql`create table accounts (id integer primary key, balance integer not null)`);
    // The default of 1 s would slow down the deadlock tests.
    await runStatement(url, `alter database ${name} set deadlock_timeout = '20ms'`);
    database = await start({ url });
  });
  beforeEach(async () => {
    await observer.exec(sql`delete from entries`);
  });

  describe("a terminated backend", () => {
    test("when idle: the next operations succeed", async () => {
      await Promise.all([database.find(selectOne), database.exec(insert(1))]);
      await terminate("state = 'idle'");
      assert.equal(await database.find(selectOne), 1);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await database.collect(ids), [1]);
      assert.equal(await database.transaction(() => database.exec(insert(2))), 1);
    });
    test("in a read: retries the read once", async () => {
      const slow = database.find(sql.value(Row.text)`select pg_sleep(0.4)::text as v`);
      await waitUntilRunning("select pg_sleep%");
      await terminate("query like 'select pg_sleep%'");
      assert.equal(await slow, "");
    });
    test("in a write: a typed error without a retry", async () => {
      const slow = database.exec(sql`insert into entries (id) select 1 from pg_sleep(20)`);
      await waitUntilRunning("insert into entries%");
      const refused = rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => slow);
      await terminate("query like 'insert into entries%'");
      await refused;
      assert.deepEqual(await database.collect(ids), []);
    });
    test("in a transaction: a typed error, a rollback and no retry", async () => {
      let runs = 0;
      const callback = async (): Promise<void> => {
        runs += 1;
        await database.exec(insert(1));
        await terminate("state = 'idle in transaction'");
        await database.exec(insert(2));
      };
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => database.transaction(callback));
      assert.deepEqual([runs, await database.collect(ids)], [1, []]);
      assert.equal(database.poolStats().used, 0);
    });
    test("between transactions: the next transactions succeed", async () => {
      for (let round = 0; round < 5; round++) {
        await database.transaction(() => database.exec(insert(round)));
        await terminate("state = 'idle'");
      }
      assert.equal((await database.collect(ids)).length, 5);
    });
  });

  describe("a failing network", () => {
    let proxy: FaultyProxy;
    let distant: Database;
    before(async () => {
      const { hostname, port } = new URL(url);
      proxy = await startFaultyProxy(hostname, Number(port || 5432));
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

    test("connection reset while idle: the next operations succeed", async () => {
      await distant.find(selectOne);
      proxy.resetConnections();
      assert.equal(await distant.find(selectOne), 1);
      assert.equal(await distant.exec(insert(1)).catch(() => distant.exec(insert(1))), 1);
    });
    test("connection reset at BEGIN: a typed error, and the pool stays usable", async () => {
      proxy.resetOnText("begin");
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => distant.transaction(() => distant.exec(insert(1))));
      assert.deepEqual(await distant.transaction(() => distant.collect(ids)), []);
      assert.equal(distant.poolStats().used, 0);
    });
    test("connection reset at COMMIT: an error that reports an unknown outcome", async () => {
      proxy.resetOnText("commit\0");
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
        dropping.promise.then(() => distant.find(selectOne)),
        dropping.promise.then(() => distant.exec(insert(9))),
        dropping.promise.then(() => distant.transaction(() => {})),
        dropping.promise.then(() => distant.find(selectOne, { timeoutMs: 200 })),
      ]);
      await begun.promise;
      proxy.dropTraffic();
      dropping.resolve(undefined);
      const codes = (await outcomes).map((outcome) =>
        outcome.status === "rejected" && isError(outcome.reason) ? outcome.reason.code : outcome.status,
      );
      assert.deepEqual(
        codes,
        Array.from({ length: 5 }, () => "E_DATABASE_TIMEOUT"),
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
    test("a deadlock is a typed error for one transaction, and the other one commits", async () => {
      await database.exec(sql`delete from accounts`);
      await database.exec(sql`insert into accounts values (1, 0), (2, 0)`);
      const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const add = (id: number) => database.exec(sql`update accounts set balance = balance + 1 where id = ${id}`);
      const outcomes = await Promise.allSettled([
        database.transaction(async () => {
          await add(1);
          first.resolve(undefined);
          await second.promise;
          await add(2);
        }),
        database.transaction(async () => {
          await add(2);
          second.resolve(undefined);
          await first.promise;
          await add(1);
        }),
      ]);
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0]?.reason, "E_DATABASE_DEADLOCK"));
      assert.equal(await database.find(sql.value(Row.int)`select sum(balance) from accounts`), 2);
    });
    test("a serialization failure is a typed error", async () => {
      const both = Promise.withResolvers<undefined>();
      let reads = 0;
      const insertAfterBothReads = async (id: number): Promise<void> => {
        await database.find(sql.value(Row.int)`select count(*) from entries`);
        if (++reads === 2) both.resolve(undefined);
        await both.promise;
        await database.exec(insert(id));
      };
      const outcomes = await Promise.allSettled(
        [1, 2].map((id) => database.transaction(() => insertAfterBothReads(id), { isolation: "serializable" })),
      );
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0]?.reason, "E_DATABASE_SERIALIZATION"));
    });
    test("a lock timeout is a typed error", async () => {
      const impatientDatabase = await start({ url, lockTimeoutMs: 100 });
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

  test("reads a table again after it changed under prepared statements", async () => {
    await database.exec(sql`create table changing (a integer)`);
    await database.exec(sql`insert into changing values (1)`);
    const statement = sql`select * from changing`;
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1 });
    await database.exec(sql`alter table changing add column b text default 'new'`);
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1, b: "new" });
  });
  test("a slow read does not block concurrent reads", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const slow = Array.from({ length: 2 }, () => database.find(sql`select pg_sleep(20)::text as v`, { signal }));
    const outcomes = Promise.allSettled(slow);
    await waitUntilRunning("select pg_sleep%", slow.length);
    for (let round = 0; round < 20; round++) await database.find(selectOne);
    // The slow reads have not ended before they are aborted.
    controller.abort(new Error("long enough"));
    for (const outcome of await outcomes) assert.equal(outcome.status, "rejected");
  });
  test("terminates a cancelled statement on the server", async () => {
    const controller = new AbortController();
    const slow = database.exec(sql`insert into entries (id) select 5 from pg_sleep(10)`, { signal: controller.signal });
    await waitUntilRunning("insert into entries%");
    controller.abort(new Error("gone"));
    await assert.rejects(slow, /gone/);
    const remaining = sql.value(
      Row.int,
    )`select count(*) from pg_stat_activity where datname = ${name} and query like 'insert into entries%' and state = 'active'`;
    while ((await observer.find(remaining)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await database.collect(ids), []);
  });
});

test("recovers soon after a server killed under load restarts", async (t) => {
  const server = await startPostgresql();
  if (server === undefined) {
    t.skip("PostgreSQL is not installed");
    return;
  }
  try {
    const database = await start({ url: server.url, connectTimeoutMs: 5000, name: "restarted" });
    await database.exec(sql`create table entries (id integer primary key)`);
    const committed: number[] = [];
    const load = new AbortController();
    let next = 0;
    const workers = Array.from({ length: 8 }, async () => {
      while (!load.signal.aborted) {
        const id = next++;
        const transaction = database.transaction(() => database.exec(insert(id)));
        await transaction.then(
          () => committed.push(id),
          (error: unknown) => assert.ok(isError(error), String(error)),
        );
        await database.find(selectOne).catch((error: unknown) => assert.ok(isError(error), String(error)));
      }
    });
    while (committed.length < 50) await new Promise((resolve) => setTimeout(resolve, 10));
    await server.kill();
    await rejectsWithCode("E_DATABASE_CONNECT", () => database.exec(insert(-1)));
    await server.restart();
    const restartedAtMs = performance.now();
    const count = committed.length;
    while (committed.length < count + 50) await new Promise((resolve) => setTimeout(resolve, 10));
    // A generous limit for slow machines; errors must not continue for minutes.
    assert.ok(performance.now() - restartedAtMs < 30_000, `${performance.now() - restartedAtMs} ms`);
    load.abort();
    await Promise.all(workers);
    const stored = new Set(await database.collect(ids));
    assert.deepEqual(
      committed.filter((id) => !stored.has(id)),
      [],
    );
    await database.stop();
    started.delete(database);
  } finally {
    await server.stop();
  }
});
