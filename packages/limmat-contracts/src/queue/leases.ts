import assert from "node:assert/strict";
import { job, type JobFailure } from "limmat/queue";
import { Time } from "limmat";
import { capturedLog, configuration, fakeClock, waitFor } from "limmat/testing";
import type { QueueContractContext } from "./test-queues.ts";

/** Registers the cases of leases: only a stalled or dead worker loses its jobs to other workers. */
export function leaseCases({ runner: { test }, openQueues }: QueueContractContext): void {
  const later = (ms: number): Date => new Date(Time.now().getTime() + ms);

  for (const end of ["success", "failure"]) {
    test(`a worker that lost its lease cannot record the outcome of the job: ${end}`, async () => {
      using clock = fakeClock();
      using log = capturedLog("warning");
      await using queues = openQueues();
      const begun = Promise.withResolvers<undefined>();
      const release = Promise.withResolvers<undefined>();
      const attempts: number[] = [];
      const pay = job({
        name: "pay",
        handle: async (_: undefined, { job: record }) => {
          attempts.push(record.attempts);
          if (attempts.length > 1) return;
          begun.resolve(undefined);
          await release.promise;
          if (end === "failure") throw new Error("too late");
        },
      });
      const [stalled, healthy] = [await queues.start(pay), await queues.start(pay)];
      const id = await stalled.dispatch(pay);
      const running = stalled.runDue();
      await begun.promise;
      clock.set(later(Time.seconds(30)));
      assert.deepEqual(await healthy.runDue(), [], "the lease is valid");
      // The clock advances without heartbeats of the stalled process.
      clock.set(later(1));
      const [record] = await healthy.runDue();
      assert.deepEqual([record?.status, record?.attempts], ["succeeded", 2]);
      release.resolve(undefined);
      assert.deepEqual(await running, [record]);
      assert.deepEqual(await healthy.findOpt(id), record);
      assert.ok(log.messages().some((message) => message.startsWith("The outcome of a job was rejected")));
    });
  }

  test("heartbeats renew the lease of a long job", async () => {
    using clock = fakeClock();
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const long = job({
      name: "long",
      handle: async () => {
        begun.resolve(undefined);
        await release.promise;
      },
    });
    const [worker, other] = [await queues.start(long), await queues.start(long)];
    const id = await worker.dispatch(long);
    const running = worker.runDue();
    await begun.promise;
    for (let heartbeat = 0; heartbeat < 12; heartbeat++) {
      const before = (await worker.findOpt(id))?.leased_until ?? new Date(0);
      await clock.advance(Time.seconds(10));
      await waitFor(async () => ((await worker.findOpt(id))?.leased_until ?? new Date(0)) > before);
      assert.deepEqual(await other.runDue(), []);
    }
    release.resolve(undefined);
    const [record] = await running;
    assert.deepEqual([record?.status, record?.attempts], ["succeeded", 1]);
  });

  test("all jobs of a stalled worker are taken over together", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    using __ = configuration({ QUEUE_CONCURRENCY: "250" });
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    let startedCount = 0;
    const task = job({
      name: "task",
      handle: async (_input: number, { job: record }) => {
        if (record.attempts > 1) return;
        startedCount += 1;
        if (startedCount === 250) begun.resolve(undefined);
        await release.promise;
      },
    });
    const other = await queues.start(task);
    await other.dispatchAll(
      task,
      Array.from({ length: 250 }, (___, index) => index),
    );
    await queues.startWorker(task);
    await begun.promise;
    clock.set(later(Time.seconds(31)));
    const records = await other.runDue();
    release.resolve(undefined);
    assert.equal(records.length, 250);
    assert.equal((await other.counts()).succeeded, 250);
  });

  test("a job whose worker dies at its last attempt fails with E_QUEUE_LOST", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const failures: JobFailure[] = [];
    let begun = Promise.withResolvers<undefined>();
    const deadly = job({
      name: "deadly",
      maxAttempts: 2,
      handle: async () => {
        begun.resolve(undefined);
        await new Promise(() => {});
      },
      failed: async (failure) => {
        await new Promise((resolve) => setImmediate(resolve));
        failures.push(failure);
      },
    });
    const queue = await queues.start(deadly);
    const id = await queue.dispatch(deadly);
    for (let round = 1; round <= 2; round++) {
      begun = Promise.withResolvers<undefined>();
      void queue.runDue();
      await begun.promise;
      assert.deepEqual([(await queue.findOpt(id))?.status, (await queue.findOpt(id))?.attempts], ["running", round]);
      clock.set(later(Time.seconds(31)));
    }
    assert.deepEqual(await queue.runDue(), []);
    const record = await queue.findOpt(id);
    assert.deepEqual([record?.status, record?.attempts, record?.leased_until], ["failed", 2, undefined]);
    assert.match(record?.last_error ?? "", /E_QUEUE_LOST/);
    assert.deepEqual(
      failures.map(({ error, job: { status } }) => [(error as { readonly code?: string }).code, status]),
      [["E_QUEUE_LOST", "failed"]],
    );
  });
}
