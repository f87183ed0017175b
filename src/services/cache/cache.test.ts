import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Lifecycle, Service } from "../../core/index.ts";
import { type Database, type DatabaseOptions, Migration } from "../../entry-points/database.ts";
import { mariadb } from "../../database/mariadb/index.ts";
import { postgresql } from "../../database/postgresql/index.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { type Cache, sql } from "./index.ts";
import { cacheContract, type CacheSubject } from "./store/contract-cases.test.ts";
import type { CacheStore } from "./store/contract.ts";
import { makeCache } from "./store/index.ts";
import { memoryStore } from "./store/memory.ts";
import { sqlStore } from "./store/sql.ts";

/** Makes a test subject whose caches are started one by one and stopped together. */
function subject(store: () => CacheStore, make: () => Promise<readonly [...Service.Service[], Cache]>): CacheSubject {
  const running: Lifecycle.RunningServices[] = [];
  return {
    store,
    open: async () => {
      const services = await make();
      running.push(await Lifecycle.start(services));
      return services.at(-1) as Cache;
    },
    close: async () => {
      for (const services of running) await services.stop();
    },
  };
}

/** Creates the cache table in a database. */
async function migrate(database: Database): Promise<void> {
  const cache = sql({ database });
  const running = await Lifecycle.start([database, cache, Migration.service({ database, onPending: "run" })]);
  await running.stop();
}

/** Makes a test subject for caches in one database, whose pool `second` connects to another database. */
function databaseSubject(make: (options: DatabaseOptions) => Database, first: string, second: string): CacheSubject {
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

const sharedStore = memoryStore(1e9);
cacheContract(
  "memory",
  subject(
    () => sharedStore,
    async () => [makeCache({ name: "cache", implementation: "memory", store: sharedStore })],
  ),
);

const folder = mkdtempSync(join(tmpdir(), "limmat-cache-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const fileUrl = (name: string): string => `sqlite:${join(folder, name)}`;
cacheContract("sqlite", databaseSubject(sqlite, fileUrl("first.db"), fileUrl("second.db")));

for (const [kind, make] of [
  [postgresqlServer, postgresql],
  [mariadbServer, mariadb],
] as const) {
  await withServer(kind, (database, server) => {
    const otherDatabase = kind.createDatabase(server.url);
    let databaseCaches: CacheSubject | undefined;
    cacheContract(kind.name, {
      store: () => (databaseCaches as CacheSubject).store(),
      open: async () => (databaseCaches ??= databaseSubject(make, database.url, (await otherDatabase).url)).open(),
      close: async () => {
        await databaseCaches?.close();
        await (await otherDatabase).drop();
      },
    });
  });
}
