import assert from "node:assert/strict";
import { job, type Queue } from "limmat/queue";
import { Time } from "limmat";
import { capturedLog, configuration, fakeClock, waitFor } from "limmat/testing";
import type { QueueContractContext } from "./test-queues.ts";

/** Registers the cases of workers: concurrency, prefetched jobs and graceful shutdown. */
export function workerCases({ runner: { test }, openQueues }: QueueContractContext): void {
  test("two workers run many jobs, each once", async () => {
    await using queues = openQueues();
    const count = 400;
    const seen: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const task = job({
      name: "task",
      handle: async (input: number) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (seen.push(input) === count) all.resolve(undefined);
      },
    });
    const queue = await queues.startWorker(task);
    await queues.startWorker(task);
    await queue.dispatchAll(
      task,
      Array.from({ length: count }, (_, index) => index),
    );
    await all.promise;
    await waitForCount(queue, "succeeded", count);
    assert.equal(new Set(seen).size, count);
    assert.equal(seen.length, count);
  });

  test("a job dispatched in the same process starts immediately, and its retry when it is due", async () => {
    using _ = capturedLog();
    await using queues = openQueues();
    const tried = Promise.withResolvers<undefined>();
    let attempts = 0;
    const task = job({
      name: "task",
      retryDelayMs: 20,
      handle: () => {
        attempts += 1;
        if (attempts === 1) throw new Error("once");
        tried.resolve(undefined);
      },
    });
    const queue = await queues.startWorker(task);
    await queue.dispatch(task);
    await tried.promise;
    await waitForCount(queue, "succeeded", 1);
  });

  test("runs at most QUEUE_CONCURRENCY jobs concurrently", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "3" });
    await using queues = openQueues();
    let [active, maxActive, finished] = [0, 0, 0];
    const [full, all] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const task = job({
      name: "task",
      handle: async () => {
        active += 1;
        maxActive = Math.max(maxActive, active);
        if (active === 3) full.resolve(undefined);
        await full.promise;
        await new Promise((resolve) => setImmediate(resolve));
        active -= 1;
        finished += 1;
        if (finished === 30) all.resolve(undefined);
      },
    });
    const queue = await queues.startWorker(task);
    await queue.dispatchAll(task, Array<undefined>(30).fill(undefined));
    await all.promise;
    await waitForCount(queue, "succeeded", 30);
    assert.equal(maxActive, 3);
  });

  test("releases prefetched jobs while a slow job runs", async () => {
    using clock = fakeClock();
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    await using queues = openQueues();
    const seen: number[] = [];
    const release = Promise.withResolvers<undefined>();
    const task = job({
      name: "task",
      handle: async (input: number) => {
        seen.push(input);
        if (input !== 50) return;
        await release.promise;
      },
    });
    const other = await queues.start(task);
    await other.dispatchAll(
      task,
      Array.from({ length: 100 }, (__, index) => index),
    );
    const slow = await queues.startWorker(task);
    // A store may wait before it retries. Advance the clock one step per reply of the store.
    await waitFor(async () => {
      await other.counts();
      await clock.advance(1);
      return seen.includes(50);
    });
    await waitFor(async () => {
      await clock.advance(100);
      return (await other.counts()).running === 1;
    });
    const records = await other.runDue();
    assert.deepEqual(
      seen,
      Array.from({ length: 100 }, (__, index) => index),
    );
    assert.deepEqual(new Set(records.map(({ attempts }) => attempts)), new Set([1]));
    release.resolve(undefined);
    await queues.stop(slow);
    await waitForCount(other, "succeeded", 100);
  });

  test("a prefetched job keeps its attempts if its process stalls past the lease", async () => {
    using clock = fakeClock();
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    using __ = capturedLog();
    await using queues = openQueues();
    let startedCount = 0;
    const task = job({
      name: "task",
      maxAttempts: 1,
      handle: (input: number) => {
        startedCount += 1;
        if (input === 50) clock.set(new Date(Time.now().getTime() + Time.seconds(31)));
      },
    });
    const other = await queues.start(task);
    await other.dispatchAll(
      task,
      Array.from({ length: 100 }, (___, index) => index),
    );
    await queues.startWorker(task);
    await waitFor(async () => {
      const { pending, running } = await other.counts();
      await clock.advance(startedCount > 50 ? 100 : 1);
      return pending + running === 0;
    });
    assert.equal((await other.counts()).succeeded, 100);
  });

  test("deletes jobs that finished long ago", async () => {
    using _ = configuration({ QUEUE_KEEP: "0ms" });
    using __ = capturedLog();
    await using queues = openQueues();
    const task = job({ name: "task", maxAttempts: 1, handle: (isRight: boolean) => assert.ok(isRight) });
    const other = await queues.start(task);
    await other.dispatchAll(task, [true, false]);
    await other.runDue();
    await queues.startWorker(task);
    await waitFor(async () => (await other.counts()).succeeded === 0);
    assert.equal((await other.counts()).failed, 1);
  });

  test("runs no jobs if QUEUE_PROCESS is false or no server runs", async () => {
    await using queues = openQueues();
    const task = job({ name: "task", handle: () => {} });
    const otherTask = job({ name: "other", handle: () => {} });
    const [disabled, withoutServer] = [await queues.start(task), await queues.start(task)];
    {
      using _ = configuration({ QUEUE_PROCESS: "false" });
      await queues.notifyReady(disabled);
    }
    using _ = configuration({ QUEUE_PROCESS: "true" });
    await withoutServer.ready?.({ services: [withoutServer] });
    const ids = [await disabled.dispatch(task), await withoutServer.dispatch(task)];
    // A worker that starts later has run its job: earlier ones had more time than they need.
    const worker = await queues.startWorker(otherTask);
    await worker.dispatch(otherTask);
    await waitForCount(worker, "succeeded", 1);
    for (const id of ids) assert.equal((await disabled.findOpt(id))?.status, "pending");
    // A worker that looks for jobs locks rows for a moment, which others skip.
    let ranCount = 0;
    await waitFor(async () => (ranCount += (await withoutServer.runDue()).length) === ids.length);
  });

  test("finishes running jobs on shutdown and starts no others", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const task = job({
      name: "task",
      handle: async () => {
        begun.resolve(undefined);
        await release.promise;
      },
    });
    const queue = await queues.startWorker(task);
    const watcher = await queues.start(task);
    const [first = "", second = ""] = await queue.dispatchAll(task, [undefined, undefined]);
    await begun.promise;
    const ending = queues.stop(queue);
    release.resolve(undefined);
    await ending;
    assert.equal((await watcher.findOpt(first))?.status, "succeeded");
    assert.deepEqual(
      [(await watcher.findOpt(second))?.status, (await watcher.findOpt(second))?.attempts],
      ["pending", 0],
    );
  });

  test("aborts and releases a job that exceeds the shutdown timeout, without counting the attempt", async () => {
    using _ = configuration({ SHUTDOWN_TIMEOUT: "20ms" });
    using clock = fakeClock();
    using log = capturedLog("warning");
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    const reasons: unknown[] = [];
    let isFirst = true;
    const long = job({
      name: "long",
      handle: async (__: undefined, { signal }) => {
        if (!isFirst) return;
        isFirst = false;
        begun.resolve(undefined);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason);
        throw signal.reason;
      },
    });
    const queue = await queues.startWorker(long);
    const other = await queues.start(long);
    const id = await queue.dispatch(long);
    await begun.promise;
    const stopping = queues.stop(queue);
    // Then the time stands still: a shutdown does not wait long for a store that does not respond.
    await waitFor(async () => {
      await clock.advance(20);
      return reasons.length > 0;
    });
    await stopping;
    assert.deepEqual(
      reasons.map((reason) => (reason as { readonly code?: string }).code),
      ["E_QUEUE_ENDING"],
    );
    const record = await other.findOpt(id);
    assert.deepEqual([record?.status, record?.attempts, record?.last_error], ["pending", 0, undefined]);
    assert.ok(log.messages().some((message) => message.startsWith("Running jobs are released")));
    assert.equal((await other.runDue())[0]?.status, "succeeded");
  });
}

/** Waits until `count` jobs have a status. The store records an outcome after the handler has finished. */
async function waitForCount(queue: Queue, status: "succeeded", count: number): Promise<void> {
  await waitFor(async () => (await queue.counts())[status] >= count);
}
