// Files larger than the memory available to them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Migration, Storage } from "limmat";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { waitFor } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const folder = mkdtempSync(join(tmpdir(), "limmat-storage-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const megabyte = 1_000_000;
const size = 16 * megabyte;
const maxGrowthBytes = 4 * megabyte;

/** Returns the memory in use after garbage collection, in bytes. */
function usedBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/** Asserts that memory use has barely grown. Another thread frees collected buffers, so it may take several attempts. */
async function assertLowMemory(before: number): Promise<void> {
  await waitFor(
    () => {
      const growthBytes = usedBytes() - before;
      assert.ok(growthBytes <= maxGrowthBytes, `${growthBytes} bytes are in use`);
      return true;
    },
    { timeoutMs: 300_000 },
  );
}

async function storeAndRead(storage: Storage.StorageService): Promise<void> {
  // Loads the code that is loaded on demand.
  const small = await storage.put("small");
  for await (const _ of storage.read(small.id));
  const before = usedBytes();
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < size; sent += 100_000) {
      if (sent % maxGrowthBytes === 0) await assertLowMemory(before);
      yield Buffer.alloc(100_000, sent / 100_000);
    }
  }
  const file = await storage.put(content());
  assert.equal(file.size, size);
  let read = 0;
  for await (const chunk of storage.read(file.id)) {
    if (Math.floor(read / maxGrowthBytes) !== Math.floor((read + chunk.length) / maxGrowthBytes))
      await assertLowMemory(before);
    read += chunk.length;
  }
  assert.equal(read, size);
}

test("16 MB on disk are never in memory as a whole", async () => {
  const storage = Storage.disk({ directory: join(folder, "storage") });
  await storage.start({ services: [] });
  await storeAndRead(storage);
  await storage.stop();
});

function testDatabase(name: string, database: Database): void {
  test(`16 MB on ${name} are never in memory as a whole`, async () => {
    await database.start({ services: [] });
    const storage = Storage.sql({ database });
    await Migration.service({ database, migrations: storage.migrations }).runAll();
    try {
      await storeAndRead(storage);
    } finally {
      await database.stop();
    }
  });
}

testDatabase("SQLite", sqlite({ url: `sqlite:${join(folder, "test.db")}` }));
await withServer(postgresqlServer, ({ url }) => testDatabase("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => testDatabase("MariaDB", mariadb({ url })));
