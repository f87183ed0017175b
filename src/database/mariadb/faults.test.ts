import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { mariadb as kind, query, startMariadb } from "../../../test/servers/mariadb.ts";
import { type Proxy, startProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { refuses } from "../../testing/database/assert-code.ts";
import type { Database } from "../database.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
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

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const one = sql.value(Row.int)`select 1 as v`;
const insert = (id: number) => sql`insert into entries (id) values (${id})`;
const ids = sql.value(Row.int)`select id from entries order by id`;
const add = (id: number, amount = 1) => sql`update accounts set balance = balance + ${amount} where id = ${id}`;
const sum = sql.value(Row.int)`select sum(balance) from accounts`;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  /** The numbers of the connections to the database that do something of this text. */
  const threads = async (where: string): Promise<readonly unknown[]> => {
    const rows = await query(
      url,
      `select id from information_schema.processlist
      where db = '${name}' and id <> connection_id() and ${where}`,
    );
    return rows.map(([id]) => id);
  };
  /** Ends connections, and waits until they are gone: they hear of it some time later. */
  const kill = async (where: string): Promise<void> => {
    const found = await threads(where);
    for (const id of found) await query(url, `kill ${String(id)}`).catch(() => {});
    while (found.length > 0 && (await threads(`id in (${found.join(", ")})`)).length > 0) await pause(5);
  };
  const running = async (text: string): Promise<void> => {
    while ((await threads(`info like '${text}'`)).length === 0) await pause(5);
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

  describe("a connection that the server ends", () => {
    test("when idle: the next operations work", async () => {
      await Promise.all([database.find(one), database.exec(insert(1))]);
      await kill("command = 'Sleep'");
      assert.equal(await database.find(one), 1);
      await pause(20);
      assert.deepEqual(await database.collect(ids), [1]);
      assert.equal(await database.transaction(() => database.exec(insert(2))), 1);
    });
    test("in a read: it is run once more", async () => {
      const slow = database.find(sql.value(Row.int)`select sleep(0.4) as v`);
      await running("select sleep%");
      await kill("info like 'select sleep%'");
      assert.equal(await slow, 0);
    });
    test("in a statement that writes: a typed error, and it is not run again", async () => {
      const slow = database.exec(sql`insert into entries (id) select 1 + sleep(20)`);
      const refused = refuses("E_DATABASE_CONNECTION_LOST", () => slow);
      await running("insert into entries%");
      await kill("info like 'insert into entries%'");
      await refused;
      assert.deepEqual(await database.collect(ids), []);
    });
    test("in a transaction: a typed error, nothing stays, and it is not run again", async () => {
      let runs = 0;
      const work = async (): Promise<void> => {
        runs += 1;
        await database.exec(insert(1));
        await kill("command = 'Sleep'");
        await database.exec(insert(2));
      };
      await refuses("E_DATABASE_CONNECTION_LOST", () => database.transaction(work));
      assert.deepEqual([runs, await database.collect(ids), database.counts().lent], [1, [], 0]);
    });
  });

  describe("a network that fails", () => {
    let proxy: Proxy;
    let distant: Database;
    before(async () => {
      const { hostname, port } = new URL(url);
      proxy = await startProxy(hostname, Number(port || 3306));
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(proxy.port);
      distant = await start({ url: through.href, statementTimeout: 1000, connectTimeout: 5000, acquireTimeout: 5000 });
    });
    after(() => proxy.close());

    test("connection reset at BEGIN: a typed error, the pool is whole", async () => {
      proxy.cutAt("start transaction");
      await refuses("E_DATABASE_CONNECTION_LOST", () => distant.transaction(() => distant.exec(insert(1))));
      assert.deepEqual(await distant.transaction(() => distant.collect(ids)), []);
      assert.equal(distant.counts().lent, 0);
    });
    test("connection reset at COMMIT: an error that says that the outcome is unknown", async () => {
      proxy.cutAt("commit");
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
        swallowed.promise.then(() => distant.transaction(() => distant.exec(insert(9)))),
        swallowed.promise.then(() => distant.find(one)),
        swallowed.promise.then(() => distant.find(one, { timeout: 200 })),
      ]);
      await begun.promise;
      proxy.swallow();
      swallowed.resolve(undefined);
      const codes = (await outcomes).map((outcome) =>
        outcome.status === "rejected" && isError(outcome.reason) ? outcome.reason.code : outcome.status,
      );
      const timedOut = ["E_DATABASE_TIMEOUT", "E_DATABASE_CONNECT", "E_DATABASE_POOL_TIMEOUT"];
      assert.ok(
        codes.every((code) => timedOut.includes(code)),
        codes.join(", "),
      );

      // The first operations work: none waits for a connection that is dead.
      proxy.restore();
      assert.equal(await distant.find(one), 1);
      assert.equal(await distant.exec(insert(10)), 1);
      assert.equal(distant.counts().lent, 0);
    });
  });

  describe("transactions that collide", () => {
    /** Two transactions that lock 1 and 2 in opposite orders, and then each do something more. */
    const collide = (second: (id: number) => Promise<unknown>): Promise<PromiseSettledResult<unknown>[]> => {
      const [first, other] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      return Promise.allSettled([
        database.transaction(async () => {
          await database.exec(add(1));
          first.resolve(undefined);
          await other.promise;
          await second(2);
        }),
        database.transaction(async () => {
          await database.exec(add(2));
          other.resolve(undefined);
          await first.promise;
          await second(1);
        }),
      ]);
    };
    const failures = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
      outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));

    test("a deadlock is a typed error for one of the two, and the other is committed", async () => {
      const failed = failures(await collide((id) => database.exec(add(id))));
      assert.equal(failed.length, 1);
      assert.ok(isError(failed[0], "E_DATABASE_DEADLOCK"));
      assert.equal(await database.find(sum), 20_002);
    });
    test("of a deadlocked transaction nothing stays, even of statements that were started at once", async () => {
      const outcomes = await collide((id) =>
        Promise.all([database.exec(add(id)), ...[11, 12, 13].map((other) => database.exec(add(other)))]),
      );
      assert.equal(failures(outcomes).length, 1);
      assert.equal(await database.find(sum), 20_005);
      assert.deepEqual([database.counts().lent, await database.exec(add(1, -1))], [0, 1]);
    });
    test("a repeatable read that would overwrite what another committed is a typed error", async () => {
      const work = async (): Promise<void> => {
        const balance = await database.find(sql.value(Row.int)`select balance from accounts where id = 1`);
        const other = await start({ url, name: "other" });
        await other.exec(add(1));
        await database.exec(sql`update accounts set balance = ${balance + 1} where id = 1`);
      };
      await refuses("E_DATABASE_SERIALIZATION", () => database.transaction(work, { isolation: "repeatable read" }));
      assert.equal(await database.find(sum), 20_001);
    });
    test("a lock that is held for long is a typed error", async () => {
      const hasty = await start({ url, lockTimeout: 1000 });
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

  describe("a statement that is given up", () => {
    test("is ended on the server", async () => {
      const controller = new AbortController();
      const slow = database.exec(sql`insert into entries (id) select 5 + sleep(10)`, { signal: controller.signal });
      await running("insert into entries%");
      controller.abort(new Error("gone"));
      await assert.rejects(slow, /gone/);
      while ((await threads("info like 'insert into entries%'")).length > 0) await pause(10);
      assert.deepEqual(await database.collect(ids), []);
    });
    test("takes no other with it that uses the connection next", async () => {
      await database.addPool({ name: "single", url, size: 1 });
      const ctx = [["pool", "single"]] as const;
      for (let round = 0; round < 100; round++) {
        const given = database.find(sql`select sleep(0.01) as v`, { ctx, timeout: 8 + (round % 5) });
        const next = Array.from({ length: 4 }, () =>
          database.find(sql.value(Row.int)`select sleep(0.001) as v`, { ctx }),
        );
        await given.catch((error: unknown) => assert.ok(isError(error, "E_DATABASE_TIMEOUT"), String(error)));
        // A sleep that is killed gives 1.
        assert.deepEqual(await Promise.all(next), [0, 0, 0, 0]);
      }
    });
    test("a stream that is left early ends soon, however many rows are left", async () => {
      const from = performance.now();
      await database.transaction(async () => {
        await database.exec(insert(1));
        const rows = database.stream(sql.value(Row.int)`select seq from seq_1_to_1000000000`);
        for await (const row of rows) if (row === 1000) break;
        assert.equal(await database.exec(insert(2)), 1);
      });
      // To read them all would take many minutes.
      assert.ok(performance.now() - from < 30_000, `${performance.now() - from} ms`);
      assert.deepEqual(await database.collect(ids), [1, 2]);
    });
  });

  test("a table that is changed under prepared statements is read anew", async () => {
    await database.exec(sql`create table changing (a integer)`);
    await database.exec(sql`insert into changing values (1)`);
    const statement = sql`select * from changing`;
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1 });
    await database.exec(sql`alter table changing add column b varchar(9) default 'new'`);
    for (let round = 0; round < 4; round++) assert.deepEqual(await database.find(statement), { a: 1, b: "new" });
  });
});

test("a server that is killed under load: errors end soon after it is back, and the process lives", async (t) => {
  const server = await startMariadb();
  if (server === undefined) {
    t.skip("MariaDB is not installed");
    return;
  }
  try {
    await query(server.url, "create database app");
    const database = await start({ url: `${server.url}app`, connectTimeout: 5000, name: "restarted" });
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
        await database.find(one).catch((error: unknown) => assert.ok(isError(error), String(error)));
      }
    });
    while (committed.length < 50) await pause(10);
    await server.kill();
    await refuses("E_DATABASE_CONNECT", () => database.exec(insert(-1)));
    await server.restart();
    const back = performance.now();
    const count = committed.length;
    while (committed.length < count + 50) await pause(10);
    // Soon, even where the machine has little time for it: what is refused must not be refused for minutes.
    assert.ok(performance.now() - back < 30_000, `${performance.now() - back} ms`);
    load.abort();
    await Promise.all(workers);
    await database.stop();
    started.delete(database);
  } finally {
    await server.stop();
  }
});
