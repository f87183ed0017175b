import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Lifecycle, Service } from "../../core/index.ts";
import { type Database, type DatabaseOptions, Migration } from "../../database/index.ts";
import { mariadb } from "../../database/mariadb/index.ts";
import { postgresql } from "../../database/postgresql/index.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { cacheContract, type CacheSubject } from "./contract-cases.test.ts";
import type { CacheStore } from "./contract.ts";
import { type Cache, makeCache, sql } from "./index.ts";
import { memoryStore } from "./memory-store.ts";
import { sqlStore } from "./sql/store.ts";

/** Caches that are started one by one and stopped all together. */
function subject(store: () => CacheStore, make: () => Promise<readonly [...Service.Service[], Cache]>): CacheSubject {
  const running: Lifecycle.Running[] = [];
  return {
    store,
    open: async () => {
      const services = await make();
      running.push(await Lifecycle.start(services));
      return services.at(-1) as Cache;
    },
    close: async () => {
      for (const each of running) await each.stop();
    },
  };
}

/** Makes the tables of a cache in a database. */
async function migrate(database: Database): Promise<void> {
  const cache = sql({ database });
  const running = await Lifecycle.start([database, cache, Migration.service({ database, onPending: "run" })]);
  await running.stop();
}

/** Caches in one database, whose pool `second` leads to another. */
function inDatabase(make: (options: DatabaseOptions) => Database, first: string, second: string): CacheSubject {
  let migrated: Promise<unknown> | undefined;
  let database: Database;
  const store = (): CacheStore => sqlStore(database, "cache");
  return subject(store, async () => {
    await (migrated ??= Promise.all([first, second].map((url) => migrate(make({ url })))));
    database = make({ url: first });
    const pool: Service.Service = Service.make({
      name: "second pool",
      dependencies: () => [database],
      start: () => database.addPool({ name: "second", url: second }),
    });
    return [pool, sql({ database })];
  });
}

const shared = memoryStore(1e9);
cacheContract(
  "memory",
  subject(
    () => shared,
    async () => [makeCache({ name: "cache", implementation: "memory", store: shared })],
  ),
);

const folder = mkdtempSync(join(tmpdir(), "limmat-cache-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => `sqlite:${join(folder, name)}`;
cacheContract("sqlite", inDatabase(sqlite, file("first.db"), file("second.db")));

for (const [kind, make] of [
  [postgresqlServer, postgresql],
  [mariadbServer, mariadb],
] as const) {
  await withServer(kind, (database, server) => {
    const other = kind.create(server.url);
    let made: CacheSubject | undefined;
    cacheContract(kind.name, {
      store: () => (made as CacheSubject).store(),
      open: async () => (made ??= inDatabase(make, database.url, (await other).url)).open(),
      close: async () => {
        await made?.close();
        await (await other).drop();
      },
    });
  });
}
