// Files that are larger than the memory they may take.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Migration, Storage } from "limmat";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const folder = mkdtempSync(join(tmpdir(), "limmat-storage-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const million = 1_000_000;
const size = 16 * million;
const most = 4 * million;

/** What is held in memory, garbage apart. */
function held(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/** Demands that little more is held than before. What was collected is freed by another thread, in its own time. */
async function checkHeld(before: number): Promise<void> {
  let more = held() - before;
  for (let attempt = 0; attempt < 100 && more > most; attempt++) {
    await setTimeout(20);
    more = held() - before;
  }
  assert.ok(more <= most, `${more} bytes are held`);
}

async function check(storage: Storage.StorageService): Promise<void> {
  const before = held();
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < size; sent += 100_000) {
      if (sent % most === 0) await checkHeld(before);
      yield Buffer.alloc(100_000, sent / 100_000);
    }
  }
  const file = await storage.put(content());
  assert.equal(file.size, size);
  let read = 0;
  for await (const piece of storage.read(file.id)) {
    if (Math.floor(read / most) !== Math.floor((read + piece.length) / most)) await checkHeld(before);
    read += piece.length;
  }
  assert.equal(read, size);
}

test("16 MB on the disk are never in memory at once", async () => {
  const storage = Storage.disk({ directory: join(folder, "storage") });
  await storage.start({ services: [] });
  await check(storage);
  await storage.stop();
});

function onDatabase(name: string, database: Database): void {
  test(`16 MB on ${name} are never in memory at once`, async () => {
    await database.start({ services: [] });
    const storage = Storage.sql({ database });
    await Migration.service({ database, migrations: storage.migrations }).runAll();
    try {
      await check(storage);
    } finally {
      await database.stop();
    }
  });
}

onDatabase("SQLite", sqlite({ url: `sqlite:${join(folder, "test.db")}` }));
await withServer(postgresqlServer, ({ url }) => onDatabase("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => onDatabase("MariaDB", mariadb({ url })));
