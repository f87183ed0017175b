import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTransactionPooler, type TransactionPooler } from "../../../test/servers/pooler.ts";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import type { Database } from "../database.ts";
import { Migration } from "../../entry-points/database.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { postgresql, type PostgresqlOptions } from "./postgresql.ts";

await withServer(kind, ({ url }) => {
  const started = new Set<Database>();
  let pooler: TransactionPooler;
  const start = async (options: PostgresqlOptions = {}): Promise<Database> => {
    const pooled = new URL(url);
    pooled.hostname = "127.0.0.1";
    pooled.port = String(pooler.port);
    const database = postgresql({ url: pooled.href, ...options });
    await database.start({ services: [database] });
    started.add(database);
    return database;
  };
  const echo = (value: number) => sql.value(Row.int)`select ${value}::int`;

  before(async () => {
    const { hostname, port } = new URL(url);
    pooler = await startTransactionPooler(hostname, Number(port || 5432), 4);
  });
  after(async () => {
    for (const database of started) await database.stop();
    await pooler.close();
  });

  test("a connection pooler in transaction mode is detected: reads, transactions and streams work without options", async () => {
    const database = await start();
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    assert.deepEqual(await Promise.all(numbers.map((number) => database.find(echo(number)))), numbers);
    await database.exec(sql`create table pooled (id integer primary key)`);
    const insert = (id: number): Promise<number> =>
      database.transaction(async () => {
        await database.exec(sql`insert into pooled values (${id})`);
        return database.find(echo(id));
      });
    assert.deepEqual(await Promise.all(numbers.map(insert)), numbers);
    const ids: number[] = [];
    const rows = database.stream(sql.value(Row.int)`select id from pooled order by id`, { batchSize: 7 });
    for await (const id of rows) ids.push(id);
    assert.deepEqual(ids, numbers);
    assert.equal(await database.transaction(() => database.find(sql.value(Row.text)`show lock_timeout`)), "5s");
  });

  test("single writes behind a connection pooler have connections of their own", async () => {
    const database = await start();
    await database.exec(sql`create table single_writes (id integer primary key)`);
    const insert = (id: number): Promise<number> => database.exec(sql`insert into single_writes values (${id})`);
    for (let id = 0; id < 10; id++) await insert(id);
    const writes = Array.from({ length: 60 }, (_, index) => insert(100 + index));
    assert.ok(database.poolStats().waiting > 0);
    assert.deepEqual(await Promise.all(writes), Array<number>(60).fill(1));
    assert.equal(await database.find(sql.value(Row.int)`select count(*) from single_writes`), 70);
  });

  test("prepared statements that a connection pooler loses are an error that names the option", async () => {
    const thrown = await start({ prepare: true })
      .then((database) => Promise.all(Array.from({ length: 40 }, (_, index) => database.find(echo(index)))))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    assert.ok(isError(thrown), String(thrown));
    assert.match(thrown.message, /set the option `prepare: false`/);
  });

  test("the lock of migrations holds behind a connection pooler", async () => {
    const databases = [await start(), await start(), await start()];
    const steps = ["a", "b", "c"].map((name) =>
      Migration.step(name, () => [`create table pooled_${name} (id integer)`, "select pg_sleep(0.05)"]),
    );
    const migrations = [Migration.make("pooled", steps)];
    const runs = databases.map((database) => Migration.service({ database, migrations, onPending: "run" }).runAll());
    const labels = (await Promise.all(runs)).flat();
    assert.equal(labels.filter((label) => label.startsWith("pooled")).length, 3, labels.join());
  });
});
