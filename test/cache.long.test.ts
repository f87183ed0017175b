// A cache shared by several processes: rate limits, counters, and values that are computed once.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { Cache, Migration, Random } from "limmat";
import { redis } from "limmat/cache/redis";
import type { Database, DatabaseOptions } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mariadb as mariadbServer } from "./servers/mariadb.ts";
import { postgresql as postgresqlServer } from "./servers/postgresql.ts";
import { redis as redisServer } from "./servers/redis.ts";
import { withServer } from "./servers/server.ts";

const fixture = new URL("./fixtures/serve-cached.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "limmat-shared-"));
const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process and returns its origin. */
async function serve(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, ...args], {
    env: {
      ...process.env,
      FRAMEWORK_ENV: "test",
      PORT: "0",
      LOG_LEVEL: "error",
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  void once(child, "exit").then(() => children.delete(child));
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  return assert.fail("the process ended before it listened");
}

function sharedBy(name: string, args: readonly string[], prepare: () => Promise<unknown> = async () => {}): void {
  test(`three processes share limits, counters and values by ${name}`, async () => {
    await prepare();
    const origins = await Promise.all([1, 2, 3].map(() => serve(...args)));
    const ask = (count: number, path: string): Promise<readonly Response[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => fetch(`${origins[index % 3]}${path}`)));

    const statuses = (await ask(60, "/limited")).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 25);
    assert.equal(statuses.filter((status) => status === 429).length, 35);

    const counts = await Promise.all((await ask(60, "/count")).map(async (answer) => (await answer.json()) as number));
    assert.deepEqual(
      counts.toSorted((left, right) => left - right),
      Array.from({ length: 60 }, (_, index) => index + 1),
    );

    type Made = { readonly value: string; readonly made: number };
    const values = await Promise.all((await ask(60, "/made")).map(async (answer) => (await answer.json()) as Made));
    assert.equal(new Set(values.map(({ value }) => value)).size, 1);
    const lasts = await Promise.all((await ask(3, "/made")).map(async (answer) => (await answer.json()) as Made));
    assert.equal(
      lasts.reduce((sum, { made }) => sum + made, 0),
      1,
    );
    for (const child of children) child.kill("SIGKILL");
  });
}

/** Creates the cache table. */
async function migrate(database: Database): Promise<void> {
  await database.start({ services: [database] });
  await Migration.service({ database, migrations: Cache.sql({ database }).migrations }).runAll();
  await database.stop();
}

const file = join(folder, "cache.sqlite");
sharedBy("SQLite", ["sqlite", file], () => migrate(sqlite({ url: file })));
for (const [kind, backend, make] of [
  [postgresqlServer, "postgresql", postgresql],
  [mariadbServer, "mariadb", mariadb as (options: DatabaseOptions) => Database],
] as const) {
  await withServer(kind, ({ url }) => sharedBy(kind.name, [backend, url], () => migrate(make({ url }))));
}
await withServer(redisServer, ({ url }) => {
  const prefix = `limmat-test-${Random.uuid()}:`;
  sharedBy("Redis", ["redis", url, prefix]);
  after(async () => {
    const cache = redis({ url, prefix });
    await cache.start({ services: [cache] });
    await cache.clear();
    await cache.stop();
  });
});
