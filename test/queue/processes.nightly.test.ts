// Processes that end in time: they release running jobs before the shutdown timeout.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "limmat/database";
import { ended, hasBegun, stopDuringJob, testQueueProcesses } from "./queue-processes.ts";

await testQueueProcesses((processes) => {
  const { database, queue, job, start } = processes;
  test("finish or release their running jobs on SIGTERM, and exit with 0", async () => {
    const [rest] = await stopDuringJob(processes, [start("6s"), start("6s")]);
    assert.ok(rest !== undefined);
    const begun = hasBegun(rest);
    const id = await queue.dispatch(job, { number: 1002, ms: 60_000 });
    await begun;
    rest.kill("SIGTERM");
    assert.equal(await ended(rest), 0, "before the shutdown timeout, which would exit with 1");
    const record = await queue.find(id);
    assert.deepEqual([record.status, record.attempts], ["pending", 0]);
    await database.exec(sql`delete from under_way`);
    await queue.cancel(id);
  });
});
