import assert from "node:assert/strict";
import { test } from "node:test";
import { isError } from "limmat";
import { type Database, sql } from "limmat/database";
import { waitFor } from "limmat/testing";
import { type FaultContext, type FaultSubject, ids, insert, selectOne, waitMs } from "./subject.ts";

/** Registers a test of a server that is killed under load, and starts again. */
export function testRestart(subject: FaultSubject, start: FaultContext["start"]): void {
  test("recovers after a server killed under load restarts", async (context) => {
    const { signal } = context;
    const server = await subject.startServer();
    if (server === undefined) return context.skip(`${subject.kind.name} is not installed`);
    try {
      const database = await start({ url: server.databaseUrl, name: "restarted" });
      await database.exec(sql`create table entries (id integer primary key)`);
      const load = new AbortController();
      const committed: number[] = [];
      const workers = Array.from({ length: 8 }, (_, worker) => insertEntries(database, worker, committed, load.signal));
      await waitFor(() => committed.length >= 50, { signal, timeoutMs: waitMs });
      await server.kill();
      // Until the last closed connection is noticed, the error may be E_DATABASE_CONNECTION_LOST.
      const isRefused = async (): Promise<boolean> => {
        const error: unknown = await database.exec(insert(-1)).catch((cause: unknown) => cause);
        assert.ok(isError(error, "E_DATABASE_CONNECT"), String(error));
        return true;
      };
      await waitFor(isRefused, { signal, timeoutMs: waitMs });
      await server.restart();
      const count = committed.length;
      // Errors must not continue for minutes.
      await waitFor(() => committed.length >= count + 50, { signal, timeoutMs: 120_000 });
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
