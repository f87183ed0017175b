import assert from "node:assert/strict";
import { test } from "node:test";
import { isError } from "limmat";
import { type Database, sql } from "limmat/database";
import { rejectsWithCode } from "../../../src/testing/contracts/assert-error-code.ts";
import { type FaultContext, type FaultSubject, ids, insert, poll, selectOne } from "./subject.ts";

/** Registers a test of a server that is killed under load, and starts again. */
export function testRestart(subject: FaultSubject, start: FaultContext["start"]): void {
  test("recovers soon after a server killed under load restarts", async (context) => {
    const server = await subject.startServer();
    if (server === undefined) return context.skip(`${subject.kind.name} is not installed`);
    try {
      const database = await start({ url: server.databaseUrl, connectTimeoutMs: 5000, name: "restarted" });
      await database.exec(sql`create table entries (id integer primary key)`);
      const load = new AbortController();
      const committed: number[] = [];
      const workers = Array.from({ length: 8 }, (_, worker) => insertEntries(database, worker, committed, load.signal));
      while (committed.length < 50) await poll();
      await server.kill();
      await rejectsWithCode("E_DATABASE_CONNECT", () => database.exec(insert(-1)));
      await server.restart();
      const restartedAtMs = performance.now();
      const count = committed.length;
      while (committed.length < count + 50) await poll();
      // A generous limit for slow machines; errors must not continue for minutes.
      assert.ok(performance.now() - restartedAtMs < 30_000, `${performance.now() - restartedAtMs} ms`);
      load.abort();
      await Promise.all(workers);
      const stored = new Set(await database.collect(ids));
      assert.deepEqual(
        committed.filter((id) => !stored.has(id)),
        [],
      );
      await database.stop();
    } finally {
      await server.stop();
    }
  });
}

/** Inserts entries, each in a transaction, until the signal is aborted. Errors must be typed. */
async function insertEntries(
  database: Database,
  worker: number,
  committed: number[],
  signal: AbortSignal,
): Promise<void> {
  const assertTyped = (error: unknown): void => assert.ok(isError(error), String(error));
  for (let id = worker; !signal.aborted; id += 8) {
    const transaction = database.transaction(() => database.exec(insert(id)));
    await transaction.then(() => committed.push(id), assertTyped);
    await database.find(selectOne).catch(assertTyped);
  }
}
