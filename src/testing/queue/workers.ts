import assert from "node:assert/strict";
import { job, type Queue } from "../../services/queue/index.ts";
import { Time } from "../../time/index.ts";
import { capturedLog, configuration, fakeClock } from "../replace.ts";
import type { QueueSetting } from "./stage.ts";

/** Workers take what is there without being asked, each job once, and end in good order. */
export function workerCases({ runner: { test }, stage }: QueueSetting): void {
  test("two of them work many jobs, each once", async () => {
    await using open = stage();
    const count = 400;
    const seen: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const work = job({
      name: "work",
      handle: async (input: number) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (seen.push(input) === count) all.resolve(undefined);
      },
    });
    const queue = await open.work(work);
    await open.work(work);
    await queue.dispatchAll(
      work,
      Array.from({ length: count }, (_, index) => index),
    );
    await all.promise;
    await settled(queue, "succeeded", count);
    assert.equal(new Set(seen).size, count);
    assert.equal(seen.length, count);
  });

  test("a dispatch in the same process begins at once, and so does a retry when it is due", async () => {
    using _ = capturedLog();
    await using open = stage();
    const tried = Promise.withResolvers<undefined>();
    let tries = 0;
    const work = job({
      name: "work",
      retryDelay: 20,
      handle: () => {
        tries += 1;
        if (tries === 1) throw new Error("once");
        tried.resolve(undefined);
      },
    });
    const queue = await open.work(work);
    await queue.dispatch(work);
    await tried.promise;
    await settled(queue, "succeeded", 1);
  });

  test("no more are under way than is configured", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "3" });
    await using open = stage();
    let [under, most, done] = [0, 0, 0];
    const all = Promise.withResolvers<undefined>();
    const work = job({
      name: "work",
      handle: async () => {
        under += 1;
        most = Math.max(most, under);
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        done += 1;
        if (done === 30) all.resolve(undefined);
      },
    });
    const queue = await open.work(work);
    await queue.dispatchAll(work, Array<undefined>(30).fill(undefined));
    await all.promise;
    await settled(queue, "succeeded", 30);
    assert.equal(most, 3);
  });

  test("what a worker took ahead is handed back when a slow job stands in the way", async () => {
    using clock = fakeClock();
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    await using open = stage();
    const seen: number[] = [];
    const release = Promise.withResolvers<undefined>();
    const work = job({
      name: "work",
      handle: async (input: number) => {
        seen.push(input);
        if (input !== 50) return;
        await release.promise;
      },
    });
    const other = await open.open(work);
    await other.dispatchAll(
      work,
      Array.from({ length: 100 }, (__, index) => index),
    );
    const slow = await open.work(work);
    // A store may pause before it tries again: time goes on, but no faster than the store answers.
    while (!seen.includes(50)) {
      await other.counts();
      await clock.advance(1);
    }
    while ((await other.counts()).running > 1) await clock.advance(100);
    const instances = await other.runDue();
    assert.deepEqual(
      seen,
      Array.from({ length: 100 }, (__, index) => index),
    );
    assert.deepEqual(new Set(instances.map(({ tries }) => tries)), new Set([1]));
    release.resolve(undefined);
    await open.end(slow);
    await settled(other, "succeeded", 100);
  });

  test("what a worker took ahead loses no try when its process stalls until others may take it", async () => {
    using clock = fakeClock();
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    using __ = capturedLog();
    await using open = stage();
    let begun = 0;
    const work = job({
      name: "work",
      maxTries: 1,
      handle: (input: number) => {
        begun += 1;
        if (input === 50) clock.set(new Date(Time.timestamp() + Time.seconds(31)));
      },
    });
    const other = await open.open(work);
    await other.dispatchAll(
      work,
      Array.from({ length: 100 }, (___, index) => index),
    );
    await open.work(work);
    for (let left = 100; left > 0;) {
      const { pending, running } = await other.counts();
      left = pending + running;
      await clock.advance(begun > 50 ? 100 : 1);
    }
    assert.equal((await other.counts()).succeeded, 100);
  });

  test("what ended long ago is deleted by itself", async () => {
    using _ = configuration({ QUEUE_KEEP: "0ms" });
    using __ = capturedLog();
    await using open = stage();
    const work = job({ name: "work", maxTries: 1, handle: (isRight: boolean) => assert.ok(isRight) });
    const other = await open.open(work);
    await other.dispatchAll(work, [true, false]);
    await other.runDue();
    await open.work(work);
    while ((await other.counts()).succeeded > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await other.counts()).failed, 1);
  });

  test("where QUEUE_PROCESS is false, or no server runs, the work is left to other processes", async () => {
    await using open = stage();
    const work = job({ name: "work", handle: () => {} });
    const [told, plain] = [await open.open(work), await open.open(work)];
    {
      using _ = configuration({ QUEUE_PROCESS: "false" });
      await open.ready(told);
    }
    using _ = configuration({ QUEUE_PROCESS: "true" });
    await plain.ready?.({ services: [plain] });
    for (const queue of [told, plain]) {
      const id = await queue.dispatch(work);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal((await queue.find(id))?.status, "pending");
    }
    assert.equal((await plain.runDue()).length, 2);
  });

  test("when its process ends, a worker finishes what it has begun and begins nothing more", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "1" });
    await using open = stage();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const work = job({
      name: "work",
      handle: async () => {
        begun.resolve(undefined);
        await release.promise;
      },
    });
    const queue = await open.work(work);
    const watcher = await open.open(work);
    const [first = "", second = ""] = await queue.dispatchAll(work, [undefined, undefined]);
    await begun.promise;
    const ending = open.end(queue);
    release.resolve(undefined);
    await ending;
    assert.equal((await watcher.find(first))?.status, "succeeded");
    assert.deepEqual([(await watcher.find(second))?.status, (await watcher.find(second))?.tries], ["pending", 0]);
  });

  test("what does not end in time is told so and handed back, without the loss of a try", async () => {
    using _ = configuration({ SHUTDOWN_TIMEOUT: "20ms" });
    using log = capturedLog("warning");
    await using open = stage();
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
    const queue = await open.work(long);
    const other = await open.open(long);
    const id = await queue.dispatch(long);
    await begun.promise;
    await open.end(queue);
    assert.deepEqual(
      reasons.map((reason) => (reason as { readonly code?: string }).code),
      ["E_QUEUE_ENDING"],
    );
    const instance = await other.find(id);
    assert.deepEqual([instance?.status, instance?.tries, instance?.last_error], ["pending", 0, undefined]);
    assert.ok(log.messages().some((message) => message.startsWith("Jobs are handed back")));
    assert.equal((await other.runDue())[0]?.status, "succeeded");
  });
}

/** Waits until so many instances have a status: what a job did is seen before its end is written down. */
async function settled(queue: Queue, status: "succeeded", count: number): Promise<void> {
  while ((await queue.counts())[status] < count) await new Promise((resolve) => setImmediate(resolve));
}
