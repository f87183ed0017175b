// Long, because every failure is a case of its own on one stand.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { query, postgresql as kind, startPostgresql } from "../../../test/servers/postgresql.ts";
import { type Proxy, startProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { refuses } from "../../testing/database/assert-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
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

const one = sql.value(Row.int)`select 1 as v`;
const insert = (id: number) => sql`insert into entries (id) values (${id})`;
const ids = sql.value(Row.int)`select id from entries order by id`;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  /** Ends backends, and waits until they are gone: they hear of it some time later. */
  const terminate = (where: string): Promise<void> =>
    query(
      url,
      `select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = '${name}' and pid <> pg_backend_pid() and ${where}`,
    );
  /** Waits until so many statements of these tests run on the server. */
  const running = async (text: string, statements = 1): Promise<void> => {
    const found = sql.value(Row.int)`select count(*) from pg_stat_activity
      where datname = ${name} and state = 'active' and query like ${text} and pid <> pg_backend_pid()`;
    while ((await observer.find(found)) < statements) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  let observer: Database;
  let database: Database;

  before(async () => {
    observer = await start({ url, name: "observer" });
    await observer.exec(sql`create table entries (id integer primary key)`);
    await observer.exec(sql`create table accounts (id integer primary key, balance integer not null)`);
    // Deadlocks are looked for after this time; a second is long for tests that make many.
    await query(url, `alter database ${name} set deadlock_timeout = '20ms'`);
    database = await start({ url });
  });
  beforeEach(async () => {
    await observer.exec(sql`delete from entries`);
  });

  describe("a backend that is terminated", () => {
    test("when idle: the next operations work", async () => {
      await Promise.all([database.find(one), database.exec(insert(1))]);
      await terminate("state = 'idle'");
      assert.equal(await database.find(one), 1);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await database.collect(ids), [1]);
      assert.equal(await database.transaction(() => database.exec(insert(2))), 1);
    });
    test("in a read: it is run once more", async () => {
      const slow = database.find(sql.value(Row.text)`select pg_sleep(0.4)::text as v`);
      await running("select pg_sleep%");
      await terminate("query like 'select pg_sleep%'");
      assert.equal(await slow, "");
    });
    test("in a statement that writes: a typed error, and it is not run again", async () => {
      const slow = database.exec(sql`insert into entries (id) select 1 from pg_sleep(20)`);
      await running("insert into entries%");
      const refused = refuses("E_DATABASE_CONNECTION_LOST", () => slow);
      await terminate("query like 'insert into entries%'");
      await refused;
      assert.deepEqual(await database.collect(ids), []);
    });
    test("in a transaction: a typed error, nothing stays, and it is not run again", async () => {
      let runs = 0;
      const work = async (): Promise<void> => {
        runs += 1;
        await database.exec(insert(1));
        await terminate("state = 'idle in transaction'");
        await database.exec(insert(2));
      };
      await refuses("E_DATABASE_CONNECTION_LOST", () => database.transaction(work));
      assert.deepEqual([runs, await database.collect(ids)], [1, []]);
      assert.equal(database.counts().lent, 0);
    });
    test("between transactions: the next ones work", async () => {
      for (let round = 0; round < 5; round++) {
        await database.transaction(() => database.exec(insert(round)));
        await terminate("state = 'idle'");
      }
      assert.equal((await database.collect(ids)).length, 5);
    });
  });

  describe("a network that fails", () => {
    let proxy: Proxy;
    let distant: Database;
    before(async () => {
      const { hostname, port } = new URL(url);
      proxy = await startProxy(hostname, Number(port || 5432));
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(proxy.port);
      distant = await start({ url: through.href, statementTimeout: 1000, connectTimeout: 5000, acquireTimeout: 5000 });
    });
    after(() => proxy.close());

    test("connection reset while idle: the next operations work", async () => {
      await distant.find(one);
      proxy.cut();
      assert.equal(await distant.find(one), 1);
      assert.equal(await distant.exec(insert(1)).catch(() => distant.exec(insert(1))), 1);
    });
    test("connection reset at BEGIN: a typed error, the pool is whole", async () => {
      proxy.cutAt("begin");
      await refuses("E_DATABASE_CONNECTION_LOST", () => distant.transaction(() => distant.exec(insert(1))));
      assert.deepEqual(await distant.transaction(() => distant.collect(ids)), []);
      assert.equal(distant.counts().lent, 0);
    });
    test("connection reset at COMMIT: an error that says that the outcome is unknown", async () => {
      proxy.cutAt("commit\0");
      await refuses("E_DATABASE_COMMIT_UNKNOWN", () => distant.transaction(() => distant.exec(insert(1))));
      assert.equal(await distant.find(one), 1);
    });
    test("a server that answers nothing: time-out errors for all, then recovery", async () => {
      // All connections are open before it: none is to be opened while nothing is answered.
      const all = Promise.withResolvers<undefined>();
      let lent = 0;
      const warm = Array.from({ length: distant.counts().size }, () =>
        distant.query(async (handle) => {
          await handle.find(one);
          if (++lent === distant.counts().size) all.resolve(undefined);
          await all.promise;
        }),
      );
      await Promise.all([distant.find(one), ...warm]);
      const begun = Promise.withResolvers<undefined>();
      const swallowed = Promise.withResolvers<undefined>();
      const outcomes = Promise.allSettled([
        distant.transaction(async () => {
          await distant.exec(insert(7));
          begun.resolve(undefined);
          await swallowed.promise;
          await distant.exec(insert(8));
        }),
        swallowed.promise.then(() => distant.find(one)),
        swallowed.promise.then(() => distant.exec(insert(9))),
        swallowed.promise.then(() => distant.transaction(() => {})),
        swallowed.promise.then(() => distant.find(one, { timeout: 200 })),
      ]);
      await begun.promise;
      proxy.swallow();
      swallowed.resolve(undefined);
      const codes = (await outcomes).map((outcome) =>
        outcome.status === "rejected" && isError(outcome.reason) ? outcome.reason.code : outcome.status,
      );
      assert.deepEqual(
        codes,
        Array.from({ length: 5 }, () => "E_DATABASE_TIMEOUT"),
      );

      // The first operations work: none waits for a connection that is dead.
      proxy.restore();
      assert.equal(await distant.find(one), 1);
      assert.equal(await distant.exec(insert(10)), 1);
      assert.equal(distant.counts().lent, 0);
    });
  });

  describe("transactions that collide", () => {
    test("a deadlock is a typed error for one of the two, and the other is committed", async () => {
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
    test("a collision of serializable transactions is a typed error", async () => {
      const both = Promise.withResolvers<undefined>();
      let reads = 0;
      const work = async (id: number): Promise<void> => {
        await database.find(sql.value(Row.int)`select count(*) from entries`);
        if (++reads === 2) both.resolve(undefined);
        await both.promise;
        await database.exec(insert(id));
      };
      const outcomes = await Promise.allSettled(
        [1, 2].map((id) => database.transaction(() => work(id), { isolation: "serializable" })),
      );
      const failed = outcomes.filter((outcome) => outcome.status === "rejected");
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0]?.reason, "E_DATABASE_SERIALIZATION"));
    });
    test("a lock that is held for long is a typed error", async () => {
      const hasty = await start({ url, lockTimeout: 100 });
      await database.exec(insert(1));
      const hold = Promise.withResolvers<undefined>();
      const held = Promise.withResolvers<undefined>();
      const holder = database.transaction(async () => {
        await database.exec(sql`update entries set id = 1 where id = 1`);
        held.resolve(undefined);
        await hold.promise;
      });
      await held.promise;
      await refuses("E_DATABASE_LOCK_TIMEOUT", () => hasty.exec(sql`delete from entries where id = 1`));
      hold.resolve(undefined);
      await holder;
      assert.equal(await hasty.exec(sql`delete from entries where id = 1`), 1);
    });
  });

  test("a table that is changed under prepared statements is read anew", async () => {
    await database.exec(sql`create table changing (a integer)`);
    await database.exec(sql`insert into changing values (1)`);
    const statement = sql`select * from changing`;
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1 });
    await database.exec(sql`alter table changing add column b text default 'new'`);
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1, b: "new" });
  });
  test("a slow read does not hold up the reads beside it", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const slow = Array.from({ length: 2 }, () => database.find(sql`select pg_sleep(20)::text as v`, { signal }));
    const outcomes = Promise.allSettled(slow);
    await running("select pg_sleep%", slow.length);
    for (let round = 0; round < 20; round++) await database.find(one);
    // None of the slow ones had ended before.
    controller.abort(new Error("long enough"));
    for (const outcome of await outcomes) assert.equal(outcome.status, "rejected");
  });
  test("a statement that is given up is ended on the server", async () => {
    const controller = new AbortController();
    const slow = database.exec(sql`insert into entries (id) select 5 from pg_sleep(10)`, { signal: controller.signal });
    await running("insert into entries%");
    controller.abort(new Error("gone"));
    await assert.rejects(slow, /gone/);
    const left = sql.value(
      Row.int,
    )`select count(*) from pg_stat_activity where datname = ${name} and query like 'insert into entries%' and state = 'active'`;
    while ((await observer.find(left)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await database.collect(ids), []);
  });
});

test("a server that is killed under load: errors end soon after it is back, and the process lives", async (t) => {
  const server = await startPostgresql();
  if (server === undefined) {
    t.skip("PostgreSQL is not installed");
    return;
  }
  try {
    const database = await start({ url: server.url, connectTimeout: 5000, name: "restarted" });
    await database.exec(sql`create table entries (id integer primary key)`);
    const committed: number[] = [];
    const load = new AbortController();
    let next = 0;
    const workers = Array.from({ length: 8 }, async () => {
      while (!load.signal.aborted) {
        const id = next++;
        const work = database.transaction(() => database.exec(insert(id)));
        await work.then(
          () => committed.push(id),
          (error: unknown) => assert.ok(isError(error), String(error)),
        );
        await database.find(one).catch((error: unknown) => assert.ok(isError(error), String(error)));
      }
    });
    while (committed.length < 50) await new Promise((resolve) => setTimeout(resolve, 10));
    await server.kill();
    await refuses("E_DATABASE_CONNECT", () => database.exec(insert(-1)));
    await server.restart();
    const back = performance.now();
    const count = committed.length;
    while (committed.length < count + 50) await new Promise((resolve) => setTimeout(resolve, 10));
    // Soon, even where the machine has little time for it: what is refused must not be refused for minutes.
    assert.ok(performance.now() - back < 30_000, `${performance.now() - back} ms`);
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
