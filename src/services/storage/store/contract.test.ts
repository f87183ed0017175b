// Contract tests of a storage, run on every backend.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { after, before, beforeEach, describe, suite, test } from "node:test";
import { array, assert as assertProperty, asyncProperty, integer, oneof, string, uint8Array } from "fast-check";
import { Cleaner, Configuration, Migration, Random, Storage } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { fakeClock } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";
import { anyCharacter } from "../../../../test/any-character.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-storage-"));
Configuration.store([
  ["FRAMEWORK_ENV", "test"],
  ["ROOT_PATH", folder],
]);
after(() => {
  ConfigurationInternals.reset();
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");
const chunkBytes = 262_144;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Generates a content while it is read. */
async function* generate(size: number, chunk: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; offset += chunk) {
    await setImmediate();
    yield Uint8Array.from({ length: Math.min(chunk, size - offset) }, (_, index) => (offset + index) % 251);
  }
}

async function* broken(size: number): AsyncGenerator<Uint8Array> {
  yield* generate(size, 100_000);
  throw new Error("the client is gone");
}

const unknownIds = [
  "",
  "x",
  "../../etc/passwd",
  "..",
  "%2e%2e",
  "0f8fad5b-d9cb-469f-a165-70867728950e/../x",
  "0f8fad5b-d9cb-469f-a165-70867728950e.json",
  "0f8fad5bd9cb469fa16570867728950e",
  "0f8fad5b-d9cb-469f-a165-70867728950\0",
  "0f8fad5b-d9cb-469f-a165-70867728950e\n",
  "incoming",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
];

function storageContract(
  name: string,
  storage: Storage.StorageService,
  prepare: () => Promise<() => Promise<void>>,
): void {
  describe(name, () => {
    let end: () => Promise<void>;
    before(async () => {
      end = await prepare();
    });
    after(() => end());
    beforeEach(() => Cleaner.cleanAll());

    test("a file is stored with its metadata", async () => {
      using clock = fakeClock(new Date("2030-01-01T12:34:56.789Z"));
      const file = await storage.put("Grüezi", { filename: "hello.txt", contentType: "text/plain" });
      assert.deepEqual(file, {
        id: file.id,
        filename: "hello.txt",
        contentType: "text/plain",
        size: 7,
        checksum: sha256("Grüezi"),
        created_at: new Date(clock.now()),
      });
      assert.deepEqual(await storage.find(file.id), file);
      assert.deepEqual(await storage.findOpt(file.id.toUpperCase()), file);
      assert.deepEqual(Buffer.from(await storage.readAll(file.id)).toString(), "Grüezi");
    });

    test("a content of any kind and chunk size is stored unchanged", async () => {
      const bytes = Buffer.concat(await collect(generate(3 * chunkBytes + 17, 50_001)));
      for (const body of [
        bytes,
        generate(bytes.length, chunkBytes),
        generate(bytes.length, 7 * chunkBytes),
        new Blob([bytes]).stream(),
        ReadableStream.from(generate(bytes.length, 99_999)),
      ]) {
        const file = await storage.put(body);
        assert.deepEqual([file.size, file.checksum], [bytes.length, sha256(bytes)]);
        assert.ok(bytes.equals(await storage.readAll(file.id)));
        const parts = await collect(storage.read(file.id));
        assert.ok(parts.every(({ length }) => length <= chunkBytes));
      }
      for (const empty of ["", new Uint8Array(), generate(0, 1)]) {
        const file = await storage.put(empty);
        assert.deepEqual([file.size, file.checksum], [0, sha256("")]);
        assert.deepEqual(await collect(storage.read(file.id)), []);
      }
    });

    test("text and bytes are read as they were written", async () => {
      await assertProperty(
        asyncProperty(array(oneof(uint8Array(), string({ unit: anyCharacter })), { maxLength: 5 }), async (chunks) => {
          async function* body(): AsyncGenerator<string | Uint8Array> {
            yield* chunks;
          }
          const expected = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
          const { id } = await storage.put(body());
          assert.ok(expected.equals(await storage.readAll(id)));
        }),
        { numRuns: 30 },
      );
    });

    test("any range can be read", async () => {
      const bytes = Buffer.concat(await collect(generate(2 * chunkBytes + 100, chunkBytes)));
      const { id, size } = await storage.put(bytes);
      await assertProperty(
        asyncProperty(
          integer({ min: 0, max: size + 10 }),
          integer({ min: 0, max: size + 10 }),
          async (start, length) => {
            const part = Buffer.concat(await collect(storage.read(id, { start, length })));
            assert.ok(part.equals(bytes.subarray(start, start + length)));
          },
        ),
        { numRuns: 40 },
      );
      for (const start of [chunkBytes - 1, chunkBytes, chunkBytes + 1]) {
        assert.ok(Buffer.concat(await collect(storage.read(id, { start }))).equals(bytes.subarray(start)));
      }
      for (const part of [{ start: -1 }, { start: 0.5 }, { length: -1 }, { length: Number.NaN }]) {
        await assert.rejects(collect(storage.read(id, part)), { code: "E_STORAGE_RANGE" });
      }
    });

    test("a content that fails leaves nothing", async () => {
      const id = Random.uuid();
      await assert.rejects(storage.put(broken(3 * chunkBytes), { id }), { message: "the client is gone" });
      assert.equal(await storage.findOpt(id), undefined);
      assert.deepEqual(await collect(storage.list()), []);
      await storage.put("again", { id });
      assert.equal((await storage.readAll(id)).length, 5);
    });

    test("a file is invisible until it is complete", async () => {
      const id = Random.uuid();
      const half = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield* generate(2 * chunkBytes, chunkBytes);
        half.resolve();
        await release.promise;
        yield* generate(10, 10);
      }
      const putting = storage.put(slow(), { id });
      await half.promise;
      assert.equal(await storage.findOpt(id), undefined);
      assert.deepEqual(await collect(storage.list()), []);
      assert.equal(await storage.delete(id), false);
      await assert.rejects(storage.put("other", { id }), { code: "E_STORAGE_ID" });
      release.resolve();
      assert.equal((await putting).size, 2 * chunkBytes + 10);
      assert.equal((await storage.find(id)).size, 2 * chunkBytes + 10);
    });

    test("an id can be used once", async () => {
      const id = Random.uuid();
      const puts = ["a", "b", "c"].map((body) => storage.put(body, { id: id.toUpperCase() }));
      const settled = await Promise.allSettled(puts);
      assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
      await assert.rejects(storage.put("d", { id }), { code: "E_STORAGE_ID", message: /in use/ });
      assert.equal((await storage.find(id)).id, id);
      await assert.rejects(storage.put("e", { id: "../x" }), { code: "E_STORAGE_ID", message: /not a UUID/ });
    });

    test("a refused content is closed", async () => {
      const { id } = await storage.put("first");
      let isCancelled = false;
      const web = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
      const file = createReadStream(import.meta.filename);
      for (const wrong of [id, "../x"]) {
        for (const body of [web, file, generate(1, 1)]) {
          await assert.rejects(storage.put(body, { id: wrong }), { code: "E_STORAGE_ID" });
        }
      }
      assert.deepEqual([isCancelled, file.destroyed], [true, true]);
    });

    test("an invalid or unknown id finds no file", async () => {
      for (const id of unknownIds) {
        assert.equal(await storage.findOpt(id), undefined);
        assert.equal(await storage.delete(id), false);
        await assert.rejects(storage.find(id), { code: "E_STORAGE_NOT_FOUND", status: 404 });
        await assert.rejects(storage.readAll(id), { code: "E_STORAGE_NOT_FOUND" });
      }
    });

    test("a deleted file does not exist, and its id can be used again", async () => {
      const { id } = await storage.put(generate(2 * chunkBytes, chunkBytes));
      const { id: other } = await storage.put("other");
      assert.equal(await storage.delete(id.toUpperCase()), true);
      assert.equal(await storage.delete(id), false);
      assert.equal(await storage.findOpt(id), undefined);
      await assert.rejects(storage.readAll(id), { code: "E_STORAGE_NOT_FOUND" });
      await storage.put("again", { id });
      assert.equal(Buffer.from(await storage.readAll(id)).toString(), "again");
      assert.equal(Buffer.from(await storage.readAll(other)).toString(), "other");
    });

    test("all files are listed", async () => {
      const files = [];
      for (let count = 0; count < 120; count++) files.push(await storage.put(String(count)));
      const byId = (a: Storage.StoredFile, b: Storage.StoredFile): number => (a.id < b.id ? -1 : 1);
      assert.deepEqual((await collect(storage.list())).sort(byId), files.sort(byId));
    });
  });
}

const none = async (): Promise<void> => {};
const memory = Storage.memory();
storageContract("memory", memory, async () => {
  await memory.start({ services: [] });
  return async () => memory.stop();
});

const disk = Storage.disk();
storageContract("disk", disk, async () => {
  await disk.start({ services: [] });
  return async () => disk.stop();
});

function testDatabase(name: string, database: Database): void {
  const storage = Storage.sql({ database });
  storageContract(name, storage, async () => {
    await database.start({ services: [] });
    await Migration.service({ database, migrations: storage.migrations }).runAll();
    return async () => database.stop();
  });

  suite(`${name}, in a transaction`, () => {
    before(async () => {
      await database.start({ services: [] });
      await storage.start({ services: [] });
    });
    after(async () => {
      await storage.stop();
      await database.stop();
    });
    const count = (): Promise<unknown> =>
      database.find(
        sql`select (select count(*) from storage_files) as files, (select count(*) from storage_chunks) as chunks`,
      );

    test("storing and deleting take part in the surrounding transaction", async () => {
      await Cleaner.cleanAll();
      const undo = new Error("undo");
      await assert.rejects(
        database.transaction(async () => {
          const { id } = await storage.put(generate(2 * chunkBytes, chunkBytes));
          assert.equal((await storage.find(id)).size, 2 * chunkBytes);
          await assert.rejects(storage.put("x", { id }), { code: "E_STORAGE_ID" });
          assert.equal((await storage.readAll(id)).length, 2 * chunkBytes);
          throw undo;
        }),
        undo,
      );
      assert.deepEqual(await collect(storage.list()), []);
      const { id } = await storage.put(generate(chunkBytes + 1, chunkBytes));
      await assert.rejects(
        database.transaction(async () => {
          assert.equal(await storage.delete(id), true);
          throw undo;
        }),
        undo,
      );
      assert.equal((await storage.readAll(id)).length, chunkBytes + 1);
    });

    test("a file whose chunk has lost its end is not found, and its reader ends", async () => {
      const { id } = await storage.put(generate(2 * chunkBytes, chunkBytes));
      await database.exec(
        sql`update storage_chunks set content = ${Buffer.alloc(10)} where file_id = ${id} and number = 0`,
      );
      await assert.rejects(storage.readAll(id), { code: "E_STORAGE_NOT_FOUND" });
    });

    test("no rows remain of failed, deleted and purged uploads", async () => {
      await Cleaner.cleanAll();
      await assert.rejects(storage.put(broken(3 * chunkBytes)));
      await storage.delete((await storage.put(generate(2 * chunkBytes, chunkBytes))).id);
      assert.deepEqual(await count(), { files: 0, chunks: 0 });
      using clock = fakeClock();
      // In a killed process the content never ends.
      const never = new Promise<never>(none);
      async function* killed(): AsyncGenerator<Uint8Array> {
        yield* generate(2 * chunkBytes, chunkBytes);
        reached.resolve();
        await never;
      }
      const reached = Promise.withResolvers<void>();
      void storage.put(killed());
      await reached.promise;
      const kept = await storage.put("kept");
      await storage.purge();
      assert.deepEqual(await count(), { files: 2, chunks: 3 });
      await clock.advance(86_400_001);
      await database.deleteExpiredRows();
      assert.deepEqual(await count(), { files: 1, chunks: 1 });
      assert.equal((await storage.readAll(kept.id)).length, 4);
    });

    test("a purge keeps an upload of more than a day that completes during the purge", async () => {
      await Cleaner.cleanAll();
      using clock = fakeClock();
      const rest = Promise.withResolvers<Uint8Array>();
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield* generate(chunkBytes, chunkBytes);
        reached.resolve();
        yield await rest.promise;
      }
      const reached = Promise.withResolvers<void>();
      const putting = storage.put(slow());
      await reached.promise;
      await clock.advance(86_400_001);
      const purging = Storage.sql({
        database: {
          ...database,
          collect: async (...call) => {
            const collected = await database.collect(...call);
            rest.resolve(new Uint8Array(10));
            await putting;
            return collected;
          },
        },
      });
      await purging.purge();
      assert.equal((await storage.readAll((await putting).id)).length, chunkBytes + 10);
    });
  });
}

testDatabase("SQLite", sqlite({ url: `sqlite:${join(folder, "test.db")}` }));
await withServer(postgresqlServer, ({ url }) => testDatabase("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => testDatabase("MariaDB", mariadb({ url })));
