// Restart of the database of a running worker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Migration, Queue, Service } from "limmat";
import { postgresql } from "limmat/database/postgresql";
import { capturedLog, configuration, waitFor } from "limmat/testing";
import { startPostgresql } from "../servers/postgresql.ts";

test("a worker whose database restarts records outcomes and continues", async (t) => {
  const server = await startPostgresql();
  if (server === undefined) return t.skip("PostgreSQL is not installed");
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
  const database = postgresql({ url: server.url });
  const [begun, release, after] = [0, 1, 2].map(() => Promise.withResolvers<undefined>());
  const work = Queue.job({
    name: "work",
    handle: async (name: string) => {
      if (name === "after") after?.resolve(undefined);
      if (name !== "across") return;
      begun?.resolve(undefined);
      await release?.promise;
    },
  });
  const queue = Queue.sql({ database, jobs: () => [work] });
  const migration = Migration.service({ database, onPending: "run" });
  const web = Service.make({ name: "web", fetch: () => Promise.resolve(new Response()) });
  await database.start({ services: [] });
  await migration.start({ services: [database, queue, migration] });
  await queue.start({ services: [] });
  await queue.ready?.({ services: [queue, web] });
  try {
    const across = await queue.dispatch(work, "across");
    await begun?.promise;
    await server.kill();
    release?.resolve(undefined);
    await assert.rejects(queue.dispatch(work, "lost"));
    await server.restart();
    await waitFor(() => queue.dispatch(work, "after"), { signal: t.signal, timeoutMs: 300_000 });
    await after?.promise;
    await waitFor(async () => (await queue.findOpt(across))?.status === "succeeded", {
      signal: t.signal,
      timeoutMs: 300_000,
    });
    assert.equal((await queue.findOpt(across))?.attempts, 1);
  } finally {
    await queue.drain?.();
    await queue.stop();
    await database.stop();
    await server.stop();
  }
});
