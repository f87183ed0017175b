// Schedules in several processes, in real time.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { Row, sql } from "limmat/database";
import { postgresql } from "limmat/database/postgresql";
import { waitFor } from "limmat/testing";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { root } from "../sources.ts";

const tickRow = Row.record({ slot: Row.timestamp, process: Row.int });

await withServer(postgresqlServer, ({ url }) => {
  test("one of three processes runs each slot, even if one of them is killed", async (t) => {
    const children: ChildProcess[] = [];
    const start = async (): Promise<void> => {
      const child = fork(join(root, "test/fixtures/scheduled.ts"), {
        execArgv: ["--conditions=@limmat/source"],
        env: { ...process.env, FRAMEWORK_ENV: "test", SCHEDULE_RUN: "true", DATABASE_URL: url, LOG_LEVEL: "error" },
      });
      children.push(child);
      const ended = once(child, "exit").then(([code]) => assert.fail(`a process ended with ${String(code)}`));
      ended.catch(() => {});
      await Promise.race([once(child, "message"), ended]);
    };
    const database = postgresql({ url, connectTimeoutMs: 120_000 });
    await database.start({ services: [] });
    const ticks = (): Promise<readonly Row.Infer<typeof tickRow>[]> =>
      database.collect(sql.row(tickRow)`select slot, process from ticks order by slot`).catch(() => []);
    const waitForTicks = (count: number): Promise<unknown> => waitFor(async () => (await ticks()).length >= count, t);

    try {
      await start();
      await waitForTicks(1);
      await Promise.all([start(), start()]);
      await waitForTicks(4);
      const [killed] = children;
      killed?.kill("SIGKILL");
      // The process may have been killed during a run. Expires its lease, so that the test does not wait for 30 s.
      await database.exec(sql`update schedule_state set leased_until = ${new Date()} where leased_until is not null`);
      const before = (await ticks()).length;
      await waitFor(async () => (await ticks()).slice(before).some(({ process: id }) => id !== killed?.pid), t);
      const slots = (await ticks()).map(({ slot }) => slot.getTime());
      assert.equal(new Set(slots).size, slots.length);
      assert.ok(slots.every((slot) => slot % 1000 === 0));
      for (const child of children.slice(1)) child.kill("SIGTERM");
      const codes = await Promise.all(children.slice(1).map(async (child) => (await once(child, "exit"))[0] as number));
      assert.deepEqual(codes, [0, 0]);
    } finally {
      for (const child of children) child.kill("SIGKILL");
      await database.stop();
    }
  });
});
