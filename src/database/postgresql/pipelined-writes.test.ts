import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { share, stopStatementTime } from "../../../test/database/shared-statements.ts";
import { runStatement, postgresql as kind } from "../../../test/servers/postgresql.ts";
import { type FaultyProxy, startFaultyProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { configuration } from "../../testing/index.ts";
import type { Database } from "../database.ts";
import { isUniqueViolation } from "../index.ts";
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

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const append = (id: number) => sql`insert into entries (id) values (${id})`;
const increment = (id: number) => sql`update counters set value = value + 1 where id = ${id}`;
const ids = sql.value(Row.int)`select id from entries order by id`;

/** Starts a proxy that is closed at the end of the block. */
async function startDisposableProxy(host: string, port: number): Promise<FaultyProxy & AsyncDisposable> {
  const proxy = await startFaultyProxy(host, port);
  return { ...proxy, [Symbol.asyncDispose]: () => proxy.close() };
}

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  let observer: Database;
  let database: Database;

  before(async () => {
    observer = await start({ url, name: "observer" });
    // Without a key, so that a write that is done twice is found.
    await observer.exec(sql`create table entries (id integer not null)`);
    await observer.exec(sql`create table counters (id integer primary key, value integer not null)`);
    await runStatement(url, `alter database ${name} set deadlock_timeout = '20ms'`);
    database = await start({ url });
  });
  beforeEach(async () => {
    await observer.exec(sql`delete from counters`);
    await observer.exec(sql`insert into counters select n, 0 from generate_series(1, 60) n`);
    await observer.exec(sql`delete from entries`);
  });

  const values = async (): Promise<readonly number[]> =>
    observer.collect(sql.value(Row.int)`select value from counters order by id`);
  /** Runs a callback while a transaction has locked a counter. */
  const whileLocked = async (id: number, callback: () => Promise<void>): Promise<void> => {
    await observer.transaction(async () => {
      await observer.exec(increment(id));
      await callback();
    });
  };

  test("more writes than connections run at once, each exactly once", async (t) => {
    stopStatementTime(t);
    await share(database, () => database.exec(append(0)));
    const writes = range(500).map((id) => database.exec(append(id)));
    assert.equal(database.poolStats().waiting, 0);
    assert.deepEqual(
      await Promise.all(writes),
      range(500).map(() => 1),
    );
    assert.deepEqual(
      (await database.collect(ids)).filter((id) => id > 0),
      range(500),
    );
  });

  test("writes that await each other keep their order", async (t) => {
    const set = (id: number, value: number) => sql`update counters set value = ${value} where id = ${id}`;
    stopStatementTime(t);
    await share(database, () => database.exec(set(60, 1)));
    const writeInOrder = async (id: number): Promise<void> => {
      for (const value of range(20)) await database.exec(set(id, value));
    };
    await Promise.all(range(50).map(writeInOrder));
    assert.deepEqual((await values()).slice(0, 50), Array<number>(50).fill(20));
  });

  test("the error of a write reaches its caller alone", async (t) => {
    stopStatementTime(t);
    await database.exec(sql`create table people (email text unique, age integer not null check (age > 0))`);
    const add = (email: string | null, age: number | null) =>
      database.exec(sql`insert into people values (${email}, ${age})`);
    await share(database, () => add(null, 1));
    const writes = range(60).map((n) => add(n % 3 === 0 ? "same" : `${n}`, n % 5 === 0 ? 0 : n % 7 === 0 ? null : n));
    assert.equal(database.poolStats().waiting, 0);
    const codes = (await Promise.allSettled(writes)).map((outcome) => {
      if (outcome.status === "fulfilled") return "stored";
      if (isUniqueViolation(outcome.reason, "email")) return "unique";
      return isError(outcome.reason) ? outcome.reason.code : outcome.reason;
    });
    const expected = range(60).map((n) => {
      if (n % 5 === 0) return "E_DATABASE_CHECK";
      if (n % 7 === 0) return "E_DATABASE_NOT_NULL";
      return n % 3 === 0 ? "unique" : "stored";
    });
    // One of the equal ones is stored: which one is open, as they are spread over connections.
    const firstSame = codes.findIndex((code, index) => code === "stored" && expected[index] === "unique");
    assert.deepEqual(codes, expected.with(firstSame, "stored"));
    assert.deepEqual(
      await database.find(sql.value(Row.int)`select count(*) from people where email is not null`),
      codes.filter((code) => code === "stored").length,
    );
  });

  test("a violation that is found at the commit reaches its caller alone", async (t) => {
    stopStatementTime(t);
    await database.exec(sql`create table slots (id integer unique deferrable initially deferred)`);
    const add = (id: number | null) => database.exec(sql`insert into slots values (${id})`);
    await share(database, () => add(null));
    const outcomes = await Promise.allSettled([...range(20), ...range(20)].map(add));
    const failed = outcomes.filter((outcome) => outcome.status === "rejected");
    assert.equal(failed.length, 20);
    for (const { reason } of failed) assert.ok(isError(reason, "E_DATABASE_UNIQUE"), String(reason));
    assert.equal(await database.find(sql.value(Row.int)`select count(id) from slots`), 20);
  });

  test("a write that waits for a lock holds up no other write, and is done once", async (t) => {
    const time = stopStatementTime(t);
    await share(database, () => database.exec(increment(60)));
    let locked: Promise<number> | undefined;
    await whileLocked(1, async () => {
      const writes = range(50).map((id) => database.exec(increment(id)));
      assert.equal(database.poolStats().waiting, 0);
      time.resume();
      [locked] = writes;
      await Promise.all(writes.slice(1));
      // Later ones as well.
      await Promise.all(range(50).map((id) => database.exec(increment(id === 1 ? 2 : id))));
    });
    assert.equal(await locked, 1);
    const expected = range(50).map((id) => (id <= 2 ? id + 1 : 2));
    assert.deepEqual((await values()).slice(0, 50), expected);
  });

  test("many writes that wait for locks move to at most all connections of the pool", async (t) => {
    const time = stopStatementTime(t);
    using _ = configuration({ DATABASE_POOL_SIZE: "4" });
    const small = await start({ url, name: "small", lockTimeoutMs: 200 });
    // Changes no row: writes of the same row would wait for each other, and could exceed the timeout.
    await share(small, () => small.exec(increment(1000)));
    time.resume();
    const blockedCount = sql.value(Row.int)`select count(*) from pg_locks l join pg_stat_activity a using (pid)
      where a.datname = ${name} and not l.granted`;
    const settled = new AbortController();
    let maxBlocked = 0;
    await whileLocked(1, async () => {
      const writes = Promise.allSettled(range(20).map((id) => small.exec(increment(id % 2 === 0 ? 1 : id + 1))));
      void writes.finally(() => settled.abort());
      while (!settled.signal.aborted) maxBlocked = Math.max(maxBlocked, await database.find(blockedCount));
      const outcomes = await writes;
      for (const [index, outcome] of outcomes.entries()) {
        if (index % 2 === 0) assert.equal(outcome.status, "fulfilled");
        else if (outcome.status === "rejected") assert.ok(isError(outcome.reason, "E_DATABASE_LOCK_TIMEOUT"));
      }
      assert.ok(maxBlocked <= 4, `${maxBlocked}`);
      assert.ok(outcomes.some(({ status }) => status === "rejected"));
    });
    const stored = await values();
    for (const id of range(20)) if (id % 2 === 1) assert.equal(stored[id], 1);
  });

  test("a deadlock is the error of one statement, and the others are done once", async (t) => {
    const time = stopStatementTime(t);
    await share(database, () => database.exec(increment(60)));
    const incrementPair = (first: number) =>
      database.exec(sql`update counters set value = value + 1 where id in (${first}, ${first + 1})`);
    await share(database, () => incrementPair(1000));
    const initial = await values();
    const hasLocked = Promise.withResolvers<undefined>();
    const mayGoOn = Promise.withResolvers<undefined>();
    const transaction = observer.transaction(async () => {
      await observer.exec(increment(59));
      hasLocked.resolve(undefined);
      await mayGoOn.promise;
      await observer.exec(increment(58));
    });
    await hasLocked.promise;
    const writes = [incrementPair(58), ...range(40).map((id) => database.exec(increment(id)))];
    time.resume();
    mayGoOn.resolve(undefined);
    const [outcome, transactionOutcome] = await Promise.allSettled([writes[0], transaction]);
    await Promise.all(writes.slice(1));
    for (const { status, ...failure } of [outcome, transactionOutcome]) {
      if (status === "rejected") assert.ok("reason" in failure && isError(failure.reason, "E_DATABASE_DEADLOCK"));
    }
    const done = [outcome, transactionOutcome].filter(({ status }) => status === "fulfilled").length;
    assert.ok(done >= 1);
    const stored = await values();
    assert.equal((stored[58] ?? 0) - (initial[58] ?? 0), done);
    assert.deepEqual(stored.slice(0, 40), Array<number>(40).fill(1));
  });

  test("terminated backends under load: no write is lost or doubled", async (t) => {
    const time = stopStatementTime(t);
    await share(database, () => database.exec(append(0)));
    time.resume();
    const outcomes = new Map<number, string>();
    let next = 1;
    const load = new AbortController();
    const write = async (): Promise<void> => {
      while (!load.signal.aborted) {
        const id = next++;
        const outcome = await database.exec(append(id)).then(
          () => "stored",
          (error: unknown) => (isError(error) ? error.code : String(error)),
        );
        outcomes.set(id, outcome);
      }
    };
    const workers = range(64).map(write);
    for (let round = 0; round < 10; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      await runStatement(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and query like 'insert into entries%'`,
      );
    }
    load.abort();
    await Promise.all(workers);
    const stored = (await observer.query((handle) => handle.collect(ids))).filter((id) => id > 0);
    assert.equal(new Set(stored).size, stored.length, "a write was done twice");
    const isStored = new Set(stored);
    for (const [id, outcome] of outcomes) {
      assert.match(outcome, /^(?:stored|E_DATABASE_WRITE_UNKNOWN|E_DATABASE_CONNECTION_LOST)$/);
      if (outcome !== "E_DATABASE_WRITE_UNKNOWN")
        assert.equal(isStored.has(id), outcome === "stored", `${id} ${outcome}`);
    }
    assert.ok([...outcomes.values()].some((outcome) => outcome !== "stored"));
  });

  test("a connection that is cut between write and reply: the outcome is reported as unknown, and the write is not repeated", async (t) => {
    stopStatementTime(t);
    const { hostname, port } = new URL(url);
    await using proxy = await startDisposableProxy(hostname, Number(port || 5432));
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String(proxy.port);
    const distant = await start({ url: through.href, name: "distant" });
    const appendLength = (text: string) => distant.exec(sql`insert into entries (id) values (length(${text}))`);
    await share(distant, () => appendLength("share"));
    const lengths = range(30).map((n) => 1000 + n);
    proxy.resetOnReplyTo("cut here");
    const writes = lengths.map((length, index) => appendLength((index === 0 ? "cut here" : "").padEnd(length)));
    assert.equal(distant.poolStats().waiting, 0);
    const outcomes = await Promise.allSettled(writes);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.ok(isError(outcome.reason, "E_DATABASE_WRITE_UNKNOWN"));
    }
    assert.equal(outcomes[0]?.status, "rejected");
    const stored = await observer.collect(ids);
    for (const [index, outcome] of outcomes.entries()) {
      const count = stored.filter((id) => id === lengths[index]).length;
      // The reply to the first write was cut, after the database had stored it.
      const isStored = outcome.status === "fulfilled" || index === 0;
      assert.ok(isStored ? count === 1 : count <= 1, `${index}: ${count}`);
    }
  });

  test("as many writes may be pending as operations may wait for a connection", async (t) => {
    stopStatementTime(t);
    using _ = configuration({ DATABASE_POOL_WAITING: "50" });
    const bounded = await start({ url, name: "bounded" });
    await share(bounded, () => bounded.exec(append(0)));
    const writes = range(51).map((id) => bounded.exec(append(id)));
    const outcomes = await Promise.allSettled(writes);
    const failed = outcomes.filter((outcome) => outcome.status === "rejected");
    assert.deepEqual(
      failed.map(({ reason }) => isError(reason) && reason.code),
      ["E_DATABASE_POOL_FULL"],
    );
    assert.equal(await bounded.exec(append(52)), 1);
  });
});
