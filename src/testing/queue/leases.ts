import assert from "node:assert/strict";
import { type Failure, job } from "../../services/queue/index.ts";
import { Time } from "../../time/index.ts";
import { capturedLog, configuration, fakeClock } from "../replace.ts";
import type { QueueSetting } from "./stage.ts";

/** A worker that stalls or dies loses its jobs to others, and they never do one at the same time otherwise. */
export function leaseCases({ runner: { test }, stage }: QueueSetting): void {
  const later = (ms: number): Date => new Date(Time.timestamp() + ms);

  for (const end of ["success", "failure"]) {
    test(`a worker that lost its lease cannot end the job: ${end}`, async () => {
      using clock = fakeClock();
      using log = capturedLog("warning");
      await using open = stage();
      const begun = Promise.withResolvers<undefined>();
      const release = Promise.withResolvers<undefined>();
      const tries: number[] = [];
      const pay = job({
        name: "pay",
        handle: async (_: undefined, { instance }) => {
          tries.push(instance.tries);
          if (tries.length > 1) return;
          begun.resolve(undefined);
          await release.promise;
          if (end === "failure") throw new Error("too late");
        },
      });
      const [stalled, healthy] = [await open.open(pay), await open.open(pay)];
      const id = await stalled.dispatch(pay);
      const running = stalled.runDue();
      await begun.promise;
      clock.set(later(Time.seconds(30)));
      assert.deepEqual(await healthy.runDue(), [], "the lease holds");
      // The wall clock moves without the beats of the stalled process.
      clock.set(later(1));
      const [instance] = await healthy.runDue();
      assert.deepEqual([instance?.status, instance?.tries], ["succeeded", 2]);
      release.resolve(undefined);
      assert.deepEqual(await running, [instance]);
      assert.deepEqual(await healthy.find(id), instance);
      assert.ok(log.messages().some((message) => message.startsWith("The end of a job was not accepted")));
    });
  }

  test("a worker that lives keeps its jobs", async () => {
    using clock = fakeClock();
    await using open = stage();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const long = job({
      name: "long",
      handle: async () => {
        begun.resolve(undefined);
        await release.promise;
      },
    });
    const [own, other] = [await open.open(long), await open.open(long)];
    const id = await own.dispatch(long);
    const running = own.runDue();
    await begun.promise;
    for (let beat = 0; beat < 12; beat++) {
      const before = (await own.find(id))?.leased_until ?? new Date(0);
      await clock.advance(Time.seconds(10));
      // What a beat does reaches the store after a while.
      while (((await own.find(id))?.leased_until ?? new Date(0)) <= before) await clock.advance(0);
      assert.deepEqual(await other.runDue(), []);
    }
    release.resolve(undefined);
    const [instance] = await running;
    assert.deepEqual([instance?.status, instance?.tries], ["succeeded", 1]);
  });

  test("all that a worker had in hand is another's at once, however much it was", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    using __ = configuration({ QUEUE_CONCURRENCY: "250" });
    await using open = stage();
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    let first = 0;
    const work = job({
      name: "work",
      handle: async (_input: number, { instance }) => {
        if (instance.tries > 1) return;
        first += 1;
        if (first === 250) begun.resolve(undefined);
        await release.promise;
      },
    });
    const other = await open.open(work);
    await other.dispatchAll(
      work,
      Array.from({ length: 250 }, (___, index) => index),
    );
    await open.work(work);
    await begun.promise;
    clock.set(later(Time.seconds(31)));
    const instances = await other.runDue();
    release.resolve(undefined);
    assert.equal(instances.length, 250);
    assert.equal((await other.counts()).succeeded, 250);
  });

  test("a job whose worker dies at its last try has failed, and says so", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using open = stage();
    const failures: Failure[] = [];
    let begun = Promise.withResolvers<undefined>();
    const deadly = job({
      name: "deadly",
      maxTries: 2,
      handle: async () => {
        begun.resolve(undefined);
        await new Promise(() => {});
      },
      failed: async (failure) => {
        await new Promise((resolve) => setImmediate(resolve));
        failures.push(failure);
      },
    });
    const queue = await open.open(deadly);
    const id = await queue.dispatch(deadly);
    for (let round = 1; round <= 2; round++) {
      begun = Promise.withResolvers<undefined>();
      void queue.runDue();
      await begun.promise;
      assert.deepEqual([(await queue.find(id))?.status, (await queue.find(id))?.tries], ["running", round]);
      clock.set(later(Time.seconds(31)));
    }
    assert.deepEqual(await queue.runDue(), []);
    const instance = await queue.find(id);
    assert.deepEqual([instance?.status, instance?.tries, instance?.leased_until], ["failed", 2, undefined]);
    assert.match(instance?.last_error ?? "", /E_QUEUE_LOST/);
    assert.deepEqual(
      failures.map(({ error, instance: { status } }) => [(error as { readonly code?: string }).code, status]),
      [["E_QUEUE_LOST", "failed"]],
    );
  });
}
