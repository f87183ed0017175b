import assert from "node:assert/strict";
import { Log, Schema, Time } from "limmat";
import { job, type JobDefinition, type JobRecord } from "limmat/queue";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { capturedLog, configuration, dispatched, fakeClock } from "limmat/testing";
import type { QueueContractContext } from "./test-queues.ts";

/** Registers the cases of dispatches: input, order, priority, delay and unique keys. */
export function dispatchCases({ runner: { test }, openQueues }: QueueContractContext): void {
  test("a job is handled with its input, context and record, and succeeds", async () => {
    using clock = fakeClock();
    await using queues = openQueues();
    const seen: unknown[] = [];
    const records: JobRecord[] = [];
    const greet = job({
      name: "greet",
      tag: "hello",
      handle: (input: { readonly to: readonly string[] }, { ctx, job: record }) => {
        seen.push(input, ctx);
        records.push(record);
      },
    });
    const queue = await queues.start(greet);
    const ctx = [["tenant", "a"]] as const;
    const id = await queue.dispatch(greet, { to: ["Zoë 😀", "\u0000\\"] }, { ctx });
    assert.deepEqual(seen, []);
    assert.equal((await queue.findOpt(id))?.status, "pending");
    await clock.advance(5);
    const done = await queue.runDue();
    assert.deepEqual(seen, [{ to: ["Zoë 😀", "\u0000\\"] }, ctx]);
    const [created, run] = [new Date("2030-01-01T00:00:00Z"), new Date("2030-01-01T00:00:00.005Z")];
    const same = {
      id,
      name: "greet",
      input: '{"to":["Zoë 😀","\\u0000\\\\"]}',
      priority: "normal",
      tag: "hello",
      ctx,
    } as const;
    const never = { last_error: undefined, last_error_at: undefined };
    const times = { next_run_at: created, started_at: run, created_at: created, updated_at: run };
    const succeeded = { status: "succeeded", leased_until: undefined, finished_at: run, attempts: 1, max_attempts: 5 };
    assert.deepEqual(done, [{ ...same, ...never, ...times, ...succeeded }]);
    const running = { status: "running", leased_until: new Date(run.getTime() + 30_000), finished_at: undefined };
    assert.deepEqual(records, [{ ...same, ...never, ...times, ...succeeded, ...running }]);
  });

  test("jobs start in the order of their dispatch", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "1000" });
    await using queues = openQueues();
    const order: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const count = job({
      name: "count",
      handle: (input: number) => {
        if (order.push(input) === 1203) all.resolve(undefined);
      },
    });
    const dispatcher = await queues.start(count);
    await dispatcher.dispatch(count, 0);
    const inputs = Array.from({ length: 1200 }, (__, index) => index + 1);
    const ids = await dispatcher.dispatchAll(count, inputs);
    await dispatcher.dispatch(count, 1201);
    assert.equal(new Set(ids).size, 1200);
    assert.equal((await dispatcher.findOpt(ids[7] ?? ""))?.input, "8");
    assert.deepEqual(await dispatcher.dispatchAll(count, []), []);
    const worker = await queues.startWorker(count);
    await worker.dispatch(count, 1202);
    await all.promise;
    assert.deepEqual(
      order,
      Array.from({ length: 1203 }, (__, index) => index),
    );
  });

  test("dispatched returns the inputs in order, including those of jobs that have run", async () => {
    using _ = fakeClock();
    await using queues = openQueues();
    const task = job({ name: "task", handle: (input: { readonly number: number }) => void input.number });
    const plain = job({ name: "plain", handle: () => {} });
    const queue = await queues.start(task, plain);
    assert.deepEqual(await dispatched(queue, task), []);
    await queue.dispatch(task, { number: 1 });
    await queue.runDue();
    await queue.dispatch(plain);
    await queue.dispatch(task, { number: 2 }, { priority: "high" });
    await queue.dispatchAll(task, [{ number: 3 }, { number: 4 }]);
    assert.deepEqual(await dispatched(queue, task), [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }]);
    assert.deepEqual(await dispatched(queue, plain), [undefined]);
  });

  test("jobs of higher priority start first", async () => {
    await using queues = openQueues();
    const order: string[] = [];
    const handle = (input: string): void => void order.push(input);
    const plain = job({ name: "plain", handle });
    const low = job({ name: "low", priority: "low", handle });
    const queue = await queues.start(plain, low);
    await queue.dispatch(low, "low 1");
    await queue.dispatch(plain, "normal 1");
    await queue.dispatch(plain, "high", { priority: "high" });
    await queue.dispatch(low, "normal 2", { priority: "normal" });
    await queue.dispatch(low, "low 2");
    await queue.runDue();
    assert.deepEqual(order, ["high", "normal 1", "normal 2", "low 1", "low 2"]);
  });

  test("a delayed job starts when it is due, and does not block other jobs", async () => {
    using clock = fakeClock();
    await using queues = openQueues();
    const order: string[] = [];
    const note = job({ name: "note", handle: (input: string) => void order.push(input) });
    const queue = await queues.start(note);
    await queue.dispatch(note, "in an hour", { delayMs: Time.hours(1), priority: "high" });
    await queue.dispatch(note, "at half past", { at: new Date(Time.now().getTime() + Time.minutes(30)) });
    await queue.dispatch(note, "long ago", { at: new Date(0) });
    await queue.runDue();
    assert.deepEqual(order.splice(0), ["long ago"]);
    await clock.advance(Time.minutes(30) - 1);
    assert.deepEqual(await queue.runDue(), []);
    await clock.advance(1);
    await queue.runDue();
    assert.deepEqual(order.splice(0), ["at half past"]);
    await clock.advance(Time.minutes(30));
    await queue.runDue();
    assert.deepEqual(order, ["in an hour"]);
    for (const delay of [-1, Number.NaN, Number.MAX_VALUE, Time.days(36_526)]) {
      await rejectsWithCode("E_QUEUE_JOB", () => queue.dispatch(note, "", { delayMs: delay }));
    }
    for (const at of [new Date(Number.NaN), new Date("2300-01-01"), new Date("+010000-01-01"), new Date(8.64e15)]) {
      await rejectsWithCode("E_QUEUE_JOB", () => queue.dispatch(note, "", { at }));
    }
    const last = new Date(Time.now().getTime() + Time.days(36_525));
    assert.deepEqual((await queue.findOpt(await queue.dispatch(note, "", { at: last })))?.next_run_at, last);
  });

  test("an input is validated at dispatch, and decoded by its schema when it is handled", async () => {
    await using queues = openQueues();
    const seen: unknown[] = [];
    const input = Schema.record({ at: Schema.datetime(), count: Schema.int({ min: 1 }) });
    const remind = job({ name: "remind", input, handle: (value) => void seen.push(value) });
    const queue = await queues.start(remind);
    const at = new Date("2026-03-01T10:00:00Z");
    await queue.dispatch(remind, { at, count: 2 });
    await queue.runDue();
    assert.deepEqual(seen, [{ at, count: 2 }]);
    await rejectsWithCode("E_QUEUE_INPUT", () => queue.dispatch(remind, { at, count: 0 }));
    await rejectsWithCode("E_QUEUE_INPUT", () =>
      queue.dispatchAll(remind, [
        { at, count: 1 },
        { at, count: 0 },
      ]),
    );
    assert.equal((await queue.search())[1], 1);
  });

  test("an input that a changed schema refuses is a failed attempt", async () => {
    using _log = capturedLog();
    await using queues = openQueues();
    const before: JobDefinition<{ readonly count: number }> = { name: "import", handle: () => {} };
    const after = job({
      name: "import",
      input: Schema.record({ count: Schema.int({ min: 1 }) }),
      handle: () => assert.fail("handled"),
    });
    const former = await queues.start(before);
    const id = await former.dispatch(before, { count: 0 });
    await queues.stop(former);
    const queue = await queues.start(after);
    const [record] = await queue.runDue();
    assert.deepEqual([record?.id, record?.status], [id, "pending"]);
    assert.match(record?.last_error ?? "", /E_QUEUE_INPUT.*count/);
  });

  test("refuses input without a schema that JSON would change", async () => {
    await using queues = openQueues();
    const anything: JobDefinition = { name: "anything", handle: () => {} };
    const queue = await queues.start(anything);
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    const wrong = [new Date(), 1n, Number.NaN, () => {}, { list: [undefined] }, new Map(), cyclic, Symbol("s"), deep];
    for (const input of wrong) {
      await rejectsWithCode("E_QUEUE_INPUT", () => queue.dispatch(anything, input));
    }
    await queue.dispatch(anything, { absent: undefined, list: [null, "a", 1.5, true] });
    await queue.dispatch(anything);
    assert.equal((await queue.runDue()).length, 2);
  });

  test("keeps JSON input unchanged, with any keys and of any size", async () => {
    await using queues = openQueues();
    const seen: unknown[] = [];
    const anything: JobDefinition = { name: "anything", handle: (input) => void seen.push(input) };
    const queue = await queues.start(anything);
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":"\\u0000\\ud800"}',
    );
    await queue.dispatch(anything, hostile);
    await queue.runDue();
    assert.deepEqual(seen.splice(0), [hostile]);
    assert.equal(({} as { readonly admin?: boolean }).admin, undefined);
    const large = Array.from({ length: 5 }, (_, index) => String(index).repeat(4_000_000));
    await queue.dispatchAll(anything, large);
    await queue.runDue();
    assert.ok(large.every((text, index) => text === seen[index]));
  });

  test("the log fields of the dispatch apply to the job", async () => {
    using log = capturedLog();
    await using queues = openQueues();
    const task = job({ name: "task", handle: () => Log.source("test").info("here") });
    const queue = await queues.start(task);
    const id = await Log.withFields({ request_id: "r1", worker: 3, list: [] }, () => queue.dispatch(task));
    await queue.runDue();
    const entry = log.entries.find(({ message }) => message === "here");
    assert.deepEqual(entry?.fields, { request_id: "r1", job: "task", job_id: id, attempt: 1 });
  });

  test("at most one job with a unique key is pending or running", async () => {
    await using queues = openQueues();
    const ids: string[] = [];
    const other: JobDefinition<string> = { name: "other", unique: (account) => account, handle: () => {} };
    const bill = job({
      name: "bill",
      unique: (account: string) => account,
      handle: async (account: string) => void ids.push(await queue.dispatch(bill, account)),
    });
    const queue = await queues.start(bill, other);
    const id = await queue.dispatch(bill, "a");
    assert.equal(await queue.dispatch(bill, "a"), id);
    assert.deepEqual(await queue.dispatchAll(bill, ["a", "b", "b"]).then((all) => [all[0], all[1] === all[2]]), [
      id,
      true,
    ]);
    assert.notEqual(await queue.dispatch(other, "a"), id);
    assert.equal((await queue.search())[1], 3);
    await queue.runDue();
    assert.equal(ids[0], id, "while it runs");
    const next = await queue.dispatch(bill, "a");
    assert.notEqual(next, id);
    assert.equal(await queue.requeue(id), false, "while another has its key");
    assert.equal(await queue.cancel(next), true);
    assert.equal(await queue.requeue(id), true);
    assert.equal(await queue.dispatch(bill, "a"), id);
  });

  test("an unregistered job waits until it is registered", async () => {
    using log = capturedLog("warning");
    await using queues = openQueues();
    const order: string[] = [];
    const registered = job({ name: "registered", handle: () => void order.push("registered") });
    const unregistered = job({ name: "unregistered", handle: () => void order.push("unregistered") });
    const queue = await queues.start(registered);
    await queue.dispatch(unregistered);
    await queue.dispatch(registered);
    await queue.dispatch(unregistered);
    await queue.runDue();
    assert.deepEqual(order, ["registered"]);
    assert.equal(log.messages().filter((message) => message.includes('"unregistered"')).length, 1);
    queue.register(unregistered, unregistered);
    await queue.runDue();
    assert.deepEqual(order, ["registered", "unregistered", "unregistered"]);
    const duplicate = job({ name: "unregistered", handle: () => {} });
    await rejectsWithCode("E_QUEUE_JOB_TAKEN", () => queue.register(duplicate));
    await rejectsWithCode("E_QUEUE_JOB_TAKEN", () => queue.dispatch(duplicate));
  });

  test("refuses an invalid job definition", async () => {
    await using queues = openQueues();
    const queue = await queues.start();
    const handle = (): void => {};
    for (const wrong of [
      { name: "" },
      { name: "a b" },
      { name: "a".repeat(129) },
      { maxAttempts: 0 },
      { maxAttempts: 1.5 },
      { retryDelayMs: -1 },
      { retryDelayMs: Number.MAX_VALUE },
      { timeoutMs: 0 },
      { tag: "a".repeat(129) },
      { tag: "a\u0000" },
    ] satisfies readonly Partial<JobDefinition>[]) {
      await rejectsWithCode("E_QUEUE_JOB", () => queue.register(job({ name: "wrong", handle, ...wrong })));
    }
  });
}
