import assert from "node:assert/strict";
import { Log } from "../../log/index.ts";
import { Schema } from "../../schema/index.ts";
import { type Instance, type Job, job } from "../../services/queue/index.ts";
import { Time } from "../../time/index.ts";
import { refuses } from "../database/assert-code.ts";
import { capturedLog, configuration, fakeClock } from "../replace.ts";
import { dispatched } from "../dispatched.ts";
import type { QueueSetting } from "./stage.ts";

/** What is dispatched is worked with what it was given, at its time and in its turn. */
export function dispatchCases({ runner: { test }, stage }: QueueSetting): void {
  test("a job is handled with its input, context and instance, and has succeeded then", async () => {
    using clock = fakeClock();
    await using open = stage();
    const seen: unknown[] = [];
    const instances: Instance[] = [];
    const greet = job({
      name: "greet",
      tag: "hello",
      handle: (input: { readonly to: readonly string[] }, { ctx, instance }) => {
        seen.push(input, ctx);
        instances.push(instance);
      },
    });
    const queue = await open.open(greet);
    const ctx = [["tenant", "a"]] as const;
    const id = await queue.dispatch(greet, { to: ["Zoë 😀", "\u0000\\"] }, { ctx });
    assert.deepEqual(seen, []);
    assert.equal((await queue.find(id))?.status, "pending");
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
    const succeeded = { status: "succeeded", leased_until: undefined, finished_at: run, tries: 1, max_tries: 5 };
    assert.deepEqual(done, [{ ...same, ...never, ...times, ...succeeded }]);
    const running = { status: "running", leased_until: new Date(run.getTime() + 30_000), finished_at: undefined };
    assert.deepEqual(instances, [{ ...same, ...never, ...times, ...succeeded, ...running }]);
  });

  test("jobs begin in the order in which they were dispatched", async () => {
    using _ = configuration({ QUEUE_CONCURRENCY: "1000" });
    await using open = stage();
    const order: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const count = job({
      name: "count",
      handle: (input: number) => {
        if (order.push(input) === 1203) all.resolve(undefined);
      },
    });
    const dispatcher = await open.open(count);
    await dispatcher.dispatch(count, 0);
    const inputs = Array.from({ length: 1200 }, (__, index) => index + 1);
    const ids = await dispatcher.dispatchAll(count, inputs);
    await dispatcher.dispatch(count, 1201);
    assert.equal(new Set(ids).size, 1200);
    assert.equal((await dispatcher.find(ids[7] ?? ""))?.input, "8");
    assert.deepEqual(await dispatcher.dispatchAll(count, []), []);
    const worker = await open.work(count);
    await worker.dispatch(count, 1202);
    await all.promise;
    assert.deepEqual(
      order,
      Array.from({ length: 1203 }, (__, index) => index),
    );
  });

  test("a test sees what was dispatched, in order and whatever became of it", async () => {
    using _ = fakeClock();
    await using open = stage();
    const work = job({ name: "work", handle: (input: { readonly number: number }) => void input.number });
    const plain = job({ name: "plain", handle: () => {} });
    const queue = await open.open(work, plain);
    assert.deepEqual(await dispatched(queue, work), []);
    await queue.dispatch(work, { number: 1 });
    await queue.runDue();
    await queue.dispatch(plain);
    await queue.dispatch(work, { number: 2 }, { priority: "high" });
    await queue.dispatchAll(work, [{ number: 3 }, { number: 4 }]);
    assert.deepEqual(await dispatched(queue, work), [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }]);
    assert.deepEqual(await dispatched(queue, plain), [undefined]);
  });

  test("the more urgent ones begin first", async () => {
    await using open = stage();
    const order: string[] = [];
    const handle = (input: string): void => void order.push(input);
    const plain = job({ name: "plain", handle });
    const low = job({ name: "low", priority: "low", handle });
    const queue = await open.open(plain, low);
    await queue.dispatch(low, "low 1");
    await queue.dispatch(plain, "normal 1");
    await queue.dispatch(plain, "high", { priority: "high" });
    await queue.dispatch(low, "normal 2", { priority: "normal" });
    await queue.dispatch(low, "low 2");
    await queue.runDue();
    assert.deepEqual(order, ["high", "normal 1", "normal 2", "low 1", "low 2"]);
  });

  test("a delayed job begins at its time, and lets others go before", async () => {
    using clock = fakeClock();
    await using open = stage();
    const order: string[] = [];
    const note = job({ name: "note", handle: (input: string) => void order.push(input) });
    const queue = await open.open(note);
    await queue.dispatch(note, "in an hour", { delay: Time.hours(1), priority: "high" });
    await queue.dispatch(note, "at half past", { at: new Date(Time.timestamp() + Time.minutes(30)) });
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
      await refuses("E_QUEUE_JOB", () => queue.dispatch(note, "", { delay }));
    }
    for (const at of [new Date(Number.NaN), new Date("2300-01-01"), new Date("+010000-01-01"), new Date(8.64e15)]) {
      await refuses("E_QUEUE_JOB", () => queue.dispatch(note, "", { at }));
    }
    const last = new Date(Time.timestamp() + Time.days(36_525));
    assert.deepEqual((await queue.find(await queue.dispatch(note, "", { at: last })))?.next_run_at, last);
  });

  test("an input is checked when it is dispatched, and read by its schema when it is handled", async () => {
    await using open = stage();
    const seen: unknown[] = [];
    const input = Schema.record({ at: Schema.datetime(), count: Schema.int({ min: 1 }) });
    const remind = job({ name: "remind", input, handle: (given) => void seen.push(given) });
    const queue = await open.open(remind);
    const at = new Date("2026-03-01T10:00:00Z");
    await queue.dispatch(remind, { at, count: 2 });
    await queue.runDue();
    assert.deepEqual(seen, [{ at, count: 2 }]);
    await refuses("E_QUEUE_INPUT", () => queue.dispatch(remind, { at, count: 0 }));
    await refuses("E_QUEUE_INPUT", () =>
      queue.dispatchAll(remind, [
        { at, count: 1 },
        { at, count: 0 },
      ]),
    );
    assert.equal((await queue.search())[1], 1);
  });

  test("an input that the schema refuses by now is a failed try", async () => {
    using _log = capturedLog();
    await using open = stage();
    const before: Job<{ readonly count: number }> = { name: "import", handle: () => {} };
    const after = job({
      name: "import",
      input: Schema.record({ count: Schema.int({ min: 1 }) }),
      handle: () => assert.fail("handled"),
    });
    const former = await open.open(before);
    const id = await former.dispatch(before, { count: 0 });
    await open.end(former);
    const queue = await open.open(after);
    const [instance] = await queue.runDue();
    assert.deepEqual([instance?.id, instance?.status], [id, "pending"]);
    assert.match(instance?.last_error ?? "", /E_QUEUE_INPUT.*count/);
  });

  test("what JSON would change is refused where no schema reads it", async () => {
    await using open = stage();
    const anything: Job = { name: "anything", handle: () => {} };
    const queue = await open.open(anything);
    const circle: { own?: unknown } = {};
    circle.own = circle;
    const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    const wrong = [new Date(), 1n, Number.NaN, () => {}, { list: [undefined] }, new Map(), circle, Symbol("s"), deep];
    for (const input of wrong) {
      await refuses("E_QUEUE_INPUT", () => queue.dispatch(anything, input));
    }
    await queue.dispatch(anything, { absent: undefined, list: [null, "a", 1.5, true] });
    await queue.dispatch(anything);
    assert.equal((await queue.runDue()).length, 2);
  });

  test("what JSON can hold comes out as it went in, whatever its keys and its size", async () => {
    await using open = stage();
    const seen: unknown[] = [];
    const anything: Job = { name: "anything", handle: (input) => void seen.push(input) };
    const queue = await open.open(anything);
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

  test("the fields of the log go with the job", async () => {
    using log = capturedLog();
    await using open = stage();
    const work = job({ name: "work", handle: () => Log.source("test").info("here") });
    const queue = await open.open(work);
    const id = await Log.withFields({ request_id: "r1", worker: 3, list: [] }, () => queue.dispatch(work));
    await queue.runDue();
    const entry = log.entries.find(({ message }) => message === "here");
    assert.deepEqual(entry?.fields, { request_id: "r1", job: "work", job_id: id, try: 1 });
  });

  test("of a unique key at most one is pending or running", async () => {
    await using open = stage();
    const ids: string[] = [];
    const other: Job<string> = { name: "other", unique: (account) => account, handle: () => {} };
    const bill = job({
      name: "bill",
      unique: (account: string) => account,
      handle: async (account: string) => void ids.push(await queue.dispatch(bill, account)),
    });
    const queue = await open.open(bill, other);
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

  test("a job that nobody knows waits until somebody does", async () => {
    using log = capturedLog("warning");
    await using open = stage();
    const order: string[] = [];
    const known = job({ name: "known", handle: () => void order.push("known") });
    const unknown = job({ name: "unknown", handle: () => void order.push("unknown") });
    const queue = await open.open(known);
    await queue.dispatch(unknown);
    await queue.dispatch(known);
    await queue.dispatch(unknown);
    await queue.runDue();
    assert.deepEqual(order, ["known"]);
    assert.equal(log.messages().filter((message) => message.includes('"unknown"')).length, 1);
    queue.register(unknown, unknown);
    await queue.runDue();
    assert.deepEqual(order, ["known", "unknown", "unknown"]);
    const impostor = job({ name: "unknown", handle: () => {} });
    await refuses("E_QUEUE_JOB_TAKEN", () => queue.register(impostor));
    await refuses("E_QUEUE_JOB_TAKEN", () => queue.dispatch(impostor));
  });

  test("a job that is not right is refused", async () => {
    await using open = stage();
    const queue = await open.open();
    const handle = (): void => {};
    for (const wrong of [
      { name: "" },
      { name: "a b" },
      { name: "a".repeat(129) },
      { maxTries: 0 },
      { maxTries: 1.5 },
      { retryDelay: -1 },
      { retryDelay: Number.MAX_VALUE },
      { timeout: 0 },
      { tag: "a".repeat(129) },
      { tag: "a\u0000" },
    ]) {
      await refuses("E_QUEUE_JOB", () => queue.register(job({ name: "wrong", handle, ...wrong })));
    }
  });
}
