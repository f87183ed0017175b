// Several processes that run the jobs of one queue, and the recovery after one of them is killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Row, sql } from "limmat/database";
import { capturedLog, fakeClock, waitFor } from "limmat/testing";
import { heldNumber } from "../fixtures/work.ts";
import { ended, hasBegun, stopDuringJob, testQueueProcesses } from "./queue-processes.ts";

await testQueueProcesses((processes) => {
  const { database, queue, job, start } = processes;
  test("run each job once at a time; the jobs of a killed process run again, and every attempt counts", async ({
    signal,
  }) => {
    const total = 200;
    const both = [start(), start()];
    // The process that starts the held job is killed, so that it has a job in flight at any speed.
    const jobs = Array.from({ length: total - 1 }, (_, number) => ({ number, ms: 20 }));
    const killed = Promise.any(both.map((child) => hasBegun(child, heldNumber).then(() => child)));
    const firstIds = await queue.dispatchAll(job, jobs);
    (await killed).kill("SIGKILL");
    await ended(await killed);
    // Prolongs its leases, so that they do not expire before the other process has run the rest, however long that takes.
    const leaseMs = 3_600_000;
    const leasedUntil = new Date(Date.now() + leaseMs);
    const prolong = sql`update queue_jobs set leased_until = ${leasedUntil} where status = 'running'`;
    // The other process locks rows as well, in another order.
    await database.exec(prolong, { maxRetries: 50 });
    const other = both.find((child) => child.signalCode === null)!;
    // The killed process may have claimed all jobs.
    const otherStarted = hasBegun(other);
    const ids = [...firstIds, await queue.dispatch(job, { number: total - 1, ms: 20 })];
    await otherStarted;
    // The other process runs all jobs except the claimed ones of the killed process.
    await waitFor(async () => (await queue.counts()).pending === 0, { signal, timeoutMs: 600_000 });
    other.kill("SIGTERM");
    assert.equal(await ended(other), 0);
    const inFlight = new Set<number>();
    for (const [number, id] of ids.entries()) if ((await queue.findOpt(id))?.status === "running") inFlight.add(number);
    assert.ok(inFlight.size > 0, "the killed process had jobs in flight");
    const repeated = await database.exec(sql`delete from under_way`);
    {
      using _clock = fakeClock(new Date(leasedUntil.getTime() + 1000));
      using _log = capturedLog();
      await queue.runDue();
    }
    assert.deepEqual(await queue.counts(), { pending: 0, running: 0, succeeded: total, failed: 0, cancelled: 0 });
    assert.equal(await database.find(sql.value(Row.int)`select count(distinct number) from done`), total);
    assert.ok(repeated <= 10, `${repeated} were under way`);
    const startedTwice = await database.collect(
      sql.value(Row.int)`select number from begun group by number having count(*) > 1`,
    );
    assert.deepEqual(
      startedTwice.filter((number) => !inFlight.has(number)),
      [],
      "only jobs in flight of the killed process start twice",
    );
    let attempts = 0;
    for (const id of ids) attempts += (await queue.find(id)).attempts;
    assert.equal(attempts, total + inFlight.size, "a killed attempt counts");
  });

  test("finish their running jobs on SIGTERM, and exit with 0", async () => {
    const rest = await stopDuringJob(processes, [start(), start()]);
    // With a job of its own: before it starts one, it may not handle the signal yet.
    assert.deepEqual(await stopDuringJob(processes, rest), []);
  });
});
