// What is the same for all stores: commands, the doctor, types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { App, type Application } from "../../app/index.ts";
import { Service } from "../../core/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { capturedLog, configuration, fakeClock, host, run } from "../../testing/index.ts";
import { Time } from "../../time/index.ts";
import type { Job, Queue } from "./contract.ts";
import { job, makeQueue, memory } from "./index.ts";
import { MemoryStore } from "./memory/memory-store.ts";

const note = job({
  name: "note.keep",
  maxTries: 1,
  handle: (isRight: boolean) => {
    if (!isRight) throw new Error("not\nright");
  },
});

function open(): readonly [Queue, Application] {
  const queue = memory({ jobs: () => [note] });
  return [queue, App.create({ services: [queue], reporters: [] })];
}

const ids = (text: string): readonly string[] => [...text.matchAll(/[\da-f-]{36}/g)].map(([id]) => id);

test("commands list, requeue, cancel and purge", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test" });
  using clock = fakeClock();
  const [queue, app] = open();
  await queue.start({ services: [] });
  await queue.dispatchAll(note, [true, false, false], { tag: "first" });
  await queue.runDue();
  await clock.advance(1000);
  const pending = await queue.dispatch(note, true);

  const list = await run(app, "queue.list");
  assert.equal(list.code, 0);
  assert.equal(ids(list.stdout)[0], pending);
  assert.match(list.stdout, /failed {5}1\/1 {2}2030-01-01T00:00:00\.000Z {2}note\.keep {2}first {2}Error: not\n/);
  assert.match(list.stdout, /4 of 4$/);
  assert.match((await run(app, "queue.list", "--status", "failed", "--limit", "1")).stdout, /1 of 2$/);
  assert.equal((await run(app, "queue.list", "--name", "other")).stdout, "No jobs.");
  const json = JSON.parse((await run(app, "queue.list", "--tag", "first", "--json")).stdout) as {
    readonly total: number;
    readonly jobs: readonly { readonly name: string }[];
  };
  assert.deepEqual([json.total, json.jobs.length, json.jobs[0]?.name], [3, 3, "note.keep"]);
  for (const wrong of [["--status", "gone"], ["--limit", "x"], ["--colour"], ["more"]]) {
    assert.equal((await run(app, "queue.list", ...wrong)).code, 2, wrong.join(" "));
  }

  assert.match((await run(app, "queue.requeue", "--failed", "--name", "note.keep")).stdout, /^2 of 2 requeued\.$/);
  assert.equal((await queue.counts()).pending, 3);
  const unknown = Random.uuid();
  const cancelled = await run(app, "queue.cancel", pending, unknown);
  assert.deepEqual([cancelled.code, cancelled.stdout], [0, "1 of 2 cancelled."]);
  assert.match(cancelled.stderr, new RegExp(`Not cancelled: ${unknown}`));
  assert.deepEqual(JSON.parse((await run(app, "queue.requeue", pending, "--json")).stdout), {
    requeued: [pending],
    refused: [],
  });
  for (const wrong of [["queue.requeue"], ["queue.requeue", "--failed", pending], ["queue.cancel"]]) {
    assert.equal((await run(app, ...wrong)).code, 2, wrong.join(" "));
  }

  assert.equal((await run(app, "queue.purge", "--older-than", "1h")).stdout, "Deleted 0 jobs.");
  assert.equal((await run(app, "queue.purge", "--status", "failed")).stdout, "Deleted 0 jobs.");
  assert.deepEqual(JSON.parse((await run(app, "queue.purge", "--json")).stdout), { deleted: 1 });
  assert.equal((await run(app, "queue.purge", "--status", "pending")).code, 2);
  assert.equal((await run(app, "queue.purge", "--older-than", "5")).code, 1);
});

test("queue.list shows no control character of an error, whatever a terminal would make of it", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test" });
  const poison = job({
    name: "poison",
    maxTries: 1,
    handle: () => {
      throw new Error("a\u001b]0;title\u0007\u001b[2J\u009b31mb\rc");
    },
  });
  const queue = memory({ jobs: () => [poison] });
  const app = App.create({ services: [queue], reporters: [] });
  await queue.start({ services: [] });
  await queue.dispatch(poison);
  await queue.runDue();
  const printed: string[] = [];
  const terminal = { print: (line = "") => void printed.push(line), note: () => {}, isTerminal: true };
  assert.equal(await app.run(["queue.list"], { ...host(), output: { ...host().output, ...terminal } }), 0);
  assert.match(printed[0] ?? "", /Error: a \]0;title \[2J 31mb c$/);
});

test("queue.work works all jobs, or those named, until it is told to end", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const done = Promise.withResolvers<undefined>();
  const other = job({ name: "other", handle: () => done.resolve(undefined) });
  const queue = memory({ jobs: () => [note, other] });
  const app = App.create({ services: [queue], reporters: [] });
  const machine = host();
  const running = app.run(["queue.work", "other"], machine);
  const id = await queue.dispatch(note, true);
  await queue.dispatch(other);
  await done.promise;
  machine.interrupt("SIGTERM");
  assert.equal(await running, 0);
  assert.match(machine.output.noted.join("\n"), /Working other\./);
  assert.equal((await queue.find(id))?.status, "pending");
});

test("the doctor tells of jobs that wait too long, that nobody knows, and that have failed", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test" });
  using clock = fakeClock();
  const [queue] = open();
  await queue.start({ services: [] });
  const look = async (): Promise<readonly (readonly [string, string])[]> =>
    ((await queue.check?.({ environment: "production" })) ?? []).map(({ level, message }) => [level, message]);
  await queue.dispatch(note, true, { delay: Time.hours(1) });
  assert.deepEqual(await look(), [["ok", "No job waits too long, none has failed (1 pending, 0 running)"]]);
  await queue.dispatch(note, false);
  await queue.runDue();
  await queue.dispatch(note, true);
  const unknown: Job = { name: "unknown", handle: () => {} };
  await queue.dispatch(unknown);
  await clock.advance(Time.minutes(7));
  assert.deepEqual(await look(), [
    ["warning", '1 job waits that nobody knows here: "unknown"'],
    ["warning", "The oldest job that is due has waited for 7m"],
    ["warning", "1 job has failed"],
  ]);
  await queue.stop();
});

test("the type of an input is that of the schema, or of what is handled", () => {
  const [queue] = open();
  const record = job({
    name: "record",
    input: Schema.record({ count: Schema.int() }),
    unique: (input) => input.count.toFixed(),
    handle: (input) => void input.count.toFixed(),
  });
  const plain = job({ name: "plain", handle: () => {} });
  const calls = (): unknown => [
    queue.dispatch(record, { count: 1 }),
    queue.dispatch(note, true, { priority: "low" }),
    queue.dispatch(plain),
    queue.dispatch(plain, undefined, { delay: 1 }),
    queue.dispatchAll(record, [{ count: 1 }]),
    // @ts-expect-error -- a number is wanted
    queue.dispatch(record, { count: "1" }),
    // @ts-expect-error -- an input is wanted
    queue.dispatch(record),
    // @ts-expect-error -- options are no input
    queue.dispatch(plain, { delay: 1 }),
    // @ts-expect-error -- numbers are wanted
    queue.dispatchAll(record, [{ count: 1 }, {}]),
  ];
  queue.register(record, plain, note);
  assert.equal(typeof calls, "function");
});

test("a job that is tried again at once may be tried a thousand times and more", async () => {
  using _ = capturedLog("error");
  using __ = fakeClock();
  const handle = (): never => {
    throw new Error("not yet");
  };
  const stubborn = job({ name: "stubborn", retryDelay: 0, maxTries: 1100, handle });
  const queue = memory({ jobs: () => [stubborn] });
  await queue.start({ services: [] });
  await queue.dispatch(stubborn);
  const [instance] = await queue.runDue();
  assert.deepEqual([instance?.status, instance?.tries], ["failed", 1100]);
  await queue.stop();
});

/** A queue that works a job which waits for `release`, on a store that cannot be reached while `isAway`. */
async function working(): Promise<{
  readonly queue: Queue;
  readonly begun: readonly number[];
  readonly release: () => void;
  readonly store: { isAway: boolean };
}> {
  const waiting = Promise.withResolvers<undefined>();
  const begun: number[] = [];
  const first = Promise.withResolvers<undefined>();
  const long = job({
    name: "long",
    maxTries: 2,
    handle: async (_: undefined, { instance }) => {
      begun.push(instance.tries);
      first.resolve(undefined);
      await waiting.promise;
    },
  });
  const memoryStore = new MemoryStore();
  const state = { isAway: false };
  const store = new Proxy(memoryStore, {
    get: (target, name: keyof MemoryStore) => {
      const value: unknown = target[name];
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown =>
        state.isAway
          ? Promise.reject(new Error("away"))
          : (value as (...given: readonly unknown[]) => unknown).apply(target, [...args]);
    },
  });
  const queue = makeQueue(store, { jobs: () => [long] });
  await queue.start({ services: [queue] });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  await queue.dispatch(long);
  await first.promise;
  return { queue, begun, release: () => waiting.resolve(undefined), store: state };
}

test("a process ends although the ends of its jobs cannot be written down", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true", SHUTDOWN_TIMEOUT: "20s" });
  using clock = fakeClock();
  const { queue, release, store } = await working();
  store.isAway = true;
  release();
  const ending = queue.stop();
  await clock.advance(Time.seconds(20));
  await ending;
  assert.equal(clock.pending, 0);
});

for (const [name, stall] of [
  ["a worker that could not reach the store for long", "away"],
  ["a worker whose computer slept", "asleep"],
] as const) {
  test(`${name} does not take its own jobs from itself`, async () => {
    using _log = capturedLog();
    using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
    using clock = fakeClock();
    const { queue, begun, release, store } = await working();
    if (stall === "away") {
      store.isAway = true;
      await clock.advance(Time.seconds(45));
      store.isAway = false;
    } else clock.set(new Date(Time.timestamp() + Time.seconds(45)));
    await clock.advance(Time.seconds(30));
    assert.deepEqual(begun, [1]);
    release();
    await queue.drain?.();
    const [[instance]] = await queue.search();
    assert.deepEqual([instance?.status, instance?.tries], ["succeeded", 1]);
    await queue.stop();
  });
}

test("what begins anew while the answer to its cancellation is under way does not fail by it", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
  const begun = [1, 2, 3].map(() => Promise.withResolvers<undefined>());
  let count = 0;
  const work = job({
    name: "work",
    maxTries: 1,
    handle: async (_: undefined, { signal }) => {
      begun[count]?.resolve(undefined);
      count += 1;
      if (count < 3)
        await new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
    },
  });
  const store = new MemoryStore();
  const late = Object.assign(store, {
    cancel: async (id: string) => {
      const isCancelled = await MemoryStore.prototype.cancel.call(store, id);
      await store.requeue(id);
      queue.register(work);
      await begun[1]?.promise;
      return isCancelled;
    },
  });
  const queue = makeQueue(late, { jobs: () => [work] });
  await queue.start({ services: [queue] });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  const id = await queue.dispatch(work);
  await begun[0]?.promise;
  await queue.cancel(id);
  while ((await queue.counts()).running > 0) await new Promise((resolve) => setImmediate(resolve));
  queue.register(work);
  await begun[2]?.promise;
  await queue.drain?.();
  assert.equal((await queue.find(id))?.status, "succeeded");
  await queue.stop();
});

test("what is claimed while another job is cancelled is worked", async () => {
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
  const done = Promise.withResolvers<undefined>();
  const work = job({ name: "work", handle: () => done.resolve(undefined) });
  const store = new MemoryStore();
  let other = "";
  const claim: MemoryStore["claim"] = async (asked) => {
    const claimed = await MemoryStore.prototype.claim.call(store, asked);
    if (claimed.length > 0) await queue.cancel(other);
    return claimed;
  };
  const queue = makeQueue(Object.assign(store, { claim }), { jobs: () => [work] });
  await queue.start({ services: [queue] });
  other = await queue.dispatch(work, undefined, { delay: 60_000 });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  await queue.dispatch(work);
  await done.promise;
  await queue.stop();
});
