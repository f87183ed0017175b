import assert from "node:assert/strict";
import { Random, Time } from "limmat";
import { job, type JobDefinition, type JobQuery, type JobRecord } from "limmat/queue";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { capturedLog, fakeClock, waitFor } from "limmat/testing";
import type { QueueContractContext } from "./test-queues.ts";

/** Registers the cases of records: search, metrics, cancel, requeue and purge. */
export function recordCases({ runner: { test }, openQueues }: QueueContractContext): void {
  const note = job({ name: "note", maxAttempts: 1, handle: (input: string) => assert.equal(input, "right") });
  const other: JobDefinition<string> = { name: "Other.thing", handle: () => {} };

  test("findOpt, cancel and requeue of an unknown id change nothing", async () => {
    await using queues = openQueues();
    const queue = await queues.start(note);
    for (const id of [Random.uuid(), "no id", ""]) {
      assert.equal(await queue.findOpt(id), undefined);
      await rejectsWithCode("E_QUEUE_JOB_UNKNOWN", () => queue.find(id));
      assert.equal(await queue.cancel(id), false);
      assert.equal(await queue.requeue(id), false);
    }
  });

  test("a search filters, sorts and pages, and counts the matches", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const queue = await queues.start(note, other);
    await queue.dispatch(note, "right", { tag: "50%_!" });
    await clock.advance(1);
    await queue.dispatch(note, "wrong");
    await queue.runDue();
    await clock.advance(1);
    await queue.dispatch(other, "x", { delayMs: 10, tag: "Blue" });
    await clock.advance(1);
    await queue.dispatch(other, "y", { delayMs: 10, tag: "blue" });
    const find = async (query: JobQuery): Promise<readonly [readonly string[], number]> => {
      const [records, total] = await queue.search(query);
      return [records.map(({ input }) => JSON.parse(input) as string), total];
    };
    assert.deepEqual(await find({}), [["y", "x", "wrong", "right"], 4]);
    assert.deepEqual(await find({ sort: "asc" }), [["right", "wrong", "x", "y"], 4]);
    assert.deepEqual(await find({ limit: 2, offset: 1 }), [["x", "wrong"], 4]);
    assert.deepEqual(await find({ offset: 9 }), [[], 4]);
    assert.deepEqual(await find({ status: "pending" }), [["y", "x"], 2]);
    assert.deepEqual(await find({ status: "failed", name: "note" }), [["wrong"], 1]);
    assert.deepEqual(await find({ status: "failed", name: "other" }), [[], 0]);
    assert.deepEqual(await find({ tag: "blue" }), [["y"], 1]);
    assert.deepEqual(await find({ filter: "BLU" }), [["y", "x"], 2]);
    assert.deepEqual(await find({ filter: "other.T", tag: "Blue" }), [["x"], 1]);
    assert.deepEqual(await find({ filter: "50%_!" }), [["right"], 1]);
    assert.deepEqual(await find({ filter: "%" }), [["right"], 1]);
    assert.deepEqual(await queue.counts(), { pending: 2, running: 0, succeeded: 1, failed: 1, cancelled: 0 });
    for (const query of [
      { limit: 0 },
      { limit: 1.5 },
      { offset: -1 },
      { filter: "a".repeat(257) },
      { filter: "\u0000" },
      { status: "gone" as JobRecord["status"] },
    ]) {
      await rejectsWithCode("E_QUEUE_QUERY", () => queue.search(query));
    }
  });

  test("a queue measures waiting jobs, the age of the oldest, and outcomes, from 0 for registered jobs", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const retried = job({ name: "again", maxAttempts: 2, handle: (input: string) => assert.equal(input, "right") });
    const queue = await queues.start(note, retried);
    const measured = async (): Promise<readonly string[]> =>
      ((await queue.measure?.()) ?? [])
        .flatMap(({ name, samples }) =>
          samples.map(({ value, labels = {} }) => `${[name, ...Object.values(labels)].join(" ")}: ${value}`),
        )
        .filter((line) => !line.endsWith(": 0"));
    const all = (await queue.measure?.()) ?? [];
    assert.deepEqual(
      all.map(({ samples }) => samples.length),
      [2, 2, 6],
    );
    assert.deepEqual(await measured(), []);
    await queue.dispatch(note, "right");
    await clock.advance(3000);
    await queue.dispatchAll(note, ["right", "wrong"]);
    await queue.dispatch(retried, "wrong");
    await queue.dispatch(retried, "wrong", { delayMs: 60_000 });
    await queue.dispatch(other, "not registered here");
    await clock.advance(1000);
    assert.deepEqual(await measured(), [
      "queue_jobs_waiting note: 3",
      "queue_jobs_waiting again: 1",
      "queue_jobs_waiting Other.thing: 1",
      "queue_oldest_job_waiting_seconds note: 4",
      "queue_oldest_job_waiting_seconds again: 1",
      "queue_oldest_job_waiting_seconds Other.thing: 1",
    ]);
    await queue.runDue();
    assert.deepEqual((await measured()).slice(2), [
      "queue_job_attempts_total note succeeded: 2",
      "queue_job_attempts_total note failed: 1",
      "queue_job_attempts_total again retried: 1",
    ]);
    await clock.advance(Time.hours(1));
    await queue.runDue();
    assert.deepEqual((await measured()).slice(-2), [
      "queue_job_attempts_total again retried: 2",
      "queue_job_attempts_total again failed: 1",
    ]);
  });

  test("cancel stops a pending job, and has no effect on a finished one", async () => {
    using clock = fakeClock();
    await using queues = openQueues();
    const queue = await queues.start(note);
    const id = await queue.dispatch(note, "wrong");
    await clock.advance(7);
    assert.equal(await queue.cancel(id), true);
    const record = await queue.findOpt(id);
    assert.deepEqual([record?.status, record?.finished_at], ["cancelled", Time.now()]);
    assert.deepEqual(await queue.runDue(), []);
    assert.equal(await queue.cancel(id), false);
    const done = await queue.dispatch(note, "right");
    await queue.runDue();
    assert.equal(await queue.cancel(done), false);
  });

  test("cancel aborts the signal of a running job, whose outcome is then ignored", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const begun = Promise.withResolvers<string>();
    const failed: unknown[] = [];
    const aborted: unknown[] = [];
    const long = job({
      name: "long",
      handle: (_input: undefined, { signal, job: record }) =>
        new Promise<undefined>((resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(signal.reason);
            reject(signal.reason as Error);
          });
          begun.resolve(record.id);
        }),
      failed: (failure) => void failed.push(failure),
    });
    const [here, elsewhere] = [await queues.start(long), await queues.start(long)];
    await here.dispatch(long);
    const running = here.runDue();
    const id = await begun.promise;
    assert.equal(await elsewhere.requeue(id), false, "while it runs");
    assert.equal(await elsewhere.cancel(id), true);
    assert.equal((await here.findOpt(id))?.status, "cancelled");
    // The next heartbeat, after a third of the lease.
    await clock.advance(Time.seconds(10));
    await waitFor(() => aborted.length > 0);
    assert.equal((aborted[0] as { readonly code?: string }).code, "E_QUEUE_CANCELLED");
    const [record] = await running;
    assert.equal(record?.status, "cancelled");
    assert.deepEqual(failed, []);
  });

  test("requeue restarts a finished or waiting job with all its attempts", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    let isBroken = true;
    const flaky = job({
      name: "flaky",
      maxAttempts: 2,
      handle: () => {
        if (isBroken) throw new Error("broken");
      },
    });
    const queue = await queues.start(flaky);
    const id = await queue.dispatch(flaky);
    await queue.runDue();
    assert.equal(await queue.requeue(id), true, "while it waits for its retry");
    assert.equal((await queue.runDue())[0]?.attempts, 1);
    await clock.advance(Time.minutes(2));
    assert.equal((await queue.runDue())[0]?.status, "failed");
    isBroken = false;
    assert.equal(await queue.requeue(id), true);
    const waiting = await queue.findOpt(id);
    assert.deepEqual(
      [waiting?.status, waiting?.attempts, waiting?.finished_at, waiting?.next_run_at],
      ["pending", 0, undefined, Time.now()],
    );
    assert.match(waiting?.last_error ?? "", /broken/);
    assert.equal((await queue.runDue())[0]?.status, "succeeded");
    assert.equal(await queue.requeue(id), true);
    assert.equal(await queue.cancel(id), true);
    assert.equal(await queue.requeue(id), true);
    assert.equal((await queue.runDue())[0]?.status, "succeeded");
  });

  test("cancel and requeue run a running job again, and ignore the outcome of its first run", async () => {
    using _ = capturedLog();
    await using queues = openQueues();
    const begun = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    let runCount = 0;
    const sent = job({
      name: "sent",
      unique: () => "key",
      handle: async () => {
        runCount += 1;
        begun.resolve(undefined);
        await ended.promise;
      },
    });
    const queue = await queues.start(sent);
    const id = await queue.dispatch(sent);
    const running = queue.runDue();
    await begun.promise;
    assert.equal(await queue.dispatch(sent), id);
    assert.deepEqual([await queue.requeue(id), await queue.cancel(id), await queue.requeue(id)], [false, true, true]);
    ended.resolve(undefined);
    await running;
    await queue.runDue();
    const record = await queue.find(id);
    assert.deepEqual([runCount, record.status, record.attempts], [2, "succeeded", 1]);
  });

  test("purge deletes only jobs that finished long ago", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const queue = await queues.start(note);
    await queue.dispatchAll(note, ["right", "wrong"]);
    const cancelled = await queue.dispatch(note, "right");
    await queue.cancel(cancelled);
    await queue.runDue();
    await clock.advance(Time.days(1));
    await queue.dispatch(note, "right");
    await queue.runDue();
    const waiting = await queue.dispatch(note, "right");
    assert.equal(await queue.purge({ olderThanMs: Time.days(1) + 1 }), 0);
    assert.equal(await queue.purge({ olderThanMs: Time.days(1), statuses: ["failed"] }), 1);
    assert.equal(await queue.purge({ olderThanMs: Time.days(1) }), 2);
    assert.equal(await queue.purge(), 1);
    const [left] = await queue.search();
    assert.deepEqual(
      left.map(({ id }) => id),
      [waiting],
    );
  });
}
