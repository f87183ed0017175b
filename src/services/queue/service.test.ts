// Commands, health check, types and worker: the same for all stores.
import assert from "node:assert/strict";
import { test } from "node:test";
import { App } from "../../app/index.ts";
import { Configuration } from "../../config/index.ts";
import { Service } from "../../core/index.ts";
import { Migration } from "../../entry-points/database.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { capturedLog, configuration, fakeClock, makeTestHost, runCommand, waitFor } from "../../testing/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { JobDefinition, Queue } from "./contract.ts";
import { job, memory, sql } from "./index.ts";
import type { QueueStore } from "./store/contract.ts";
import { makeQueue } from "./store/index.ts";
import { memoryStore } from "./store/memory/memory.ts";

const note = job({
  name: "note.keep",
  maxAttempts: 1,
  handle: (isRight: boolean) => {
    if (!isRight) throw new Error("not\nright");
  },
});

function open(): readonly [Queue, App.Application] {
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

  const list = await runCommand(app, "queue.list");
  assert.equal(list.code, 0);
  assert.equal(ids(list.stdout)[0], pending);
  assert.match(list.stdout, /failed {5}1\/1 {2}2030-01-01T00:00:00\.000Z {2}note\.keep {2}first {2}Error: not\n/);
  assert.match(list.stdout, /4 of 4$/);
  assert.match((await runCommand(app, "queue.list", "--status", "failed", "--limit", "1")).stdout, /1 of 2$/);
  assert.equal((await runCommand(app, "queue.list", "--name", "other")).stdout, "No jobs.");
  const json = JSON.parse((await runCommand(app, "queue.list", "--tag", "first", "--json")).stdout) as {
    readonly total: number;
    readonly jobs: readonly { readonly name: string }[];
  };
  assert.deepEqual([json.total, json.jobs.length, json.jobs[0]?.name], [3, 3, "note.keep"]);
  for (const wrong of [["--status", "gone"], ["--limit", "x"], ["--colour"], ["more"]]) {
    assert.equal((await runCommand(app, "queue.list", ...wrong)).code, 2, wrong.join(" "));
  }

  assert.match(
    (await runCommand(app, "queue.requeue", "--failed", "--name", "note.keep")).stdout,
    /^2 of 2 requeued\.$/,
  );
  assert.equal((await queue.counts()).pending, 3);
  const unknown = Random.uuid();
  const cancelled = await runCommand(app, "queue.cancel", pending, unknown);
  assert.deepEqual([cancelled.code, cancelled.stdout], [0, "1 of 2 cancelled."]);
  assert.match(cancelled.stderr, new RegExp(`Not cancelled: ${unknown}`));
  assert.deepEqual(JSON.parse((await runCommand(app, "queue.requeue", pending, "--json")).stdout), {
    requeued: [pending],
    refused: [],
  });
  for (const wrong of [["queue.requeue"], ["queue.requeue", "--failed", pending], ["queue.cancel"]]) {
    assert.equal((await runCommand(app, ...wrong)).code, 2, wrong.join(" "));
  }

  assert.equal((await runCommand(app, "queue.purge", "--older-than", "1h")).stdout, "Deleted 0 jobs.");
  assert.equal((await runCommand(app, "queue.purge", "--status", "failed")).stdout, "Deleted 0 jobs.");
  assert.deepEqual(JSON.parse((await runCommand(app, "queue.purge", "--json")).stdout), { deleted: 1 });
  assert.equal((await runCommand(app, "queue.purge", "--status", "pending")).code, 2);
  assert.equal((await runCommand(app, "queue.purge", "--older-than", "5")).code, 1);
});

test("queue.list removes control characters from errors, which could command the terminal", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test" });
  const poison = job({
    name: "poison",
    maxAttempts: 1,
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
  assert.equal(
    await app.run(["queue.list"], { ...makeTestHost(), output: { ...makeTestHost().output, ...terminal } }),
    0,
  );
  assert.match(printed[0] ?? "", /Error: a \]0;title \[2J 31mb c$/);
});

test("queue.work runs all jobs, or those named, until it is stopped", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const done = Promise.withResolvers<undefined>();
  const other = job({ name: "other", handle: () => done.resolve(undefined) });
  const queue = memory({ jobs: () => [note, other] });
  const app = App.create({ services: [queue], reporters: [] });
  const machine = makeTestHost();
  const running = app.run(["queue.work", "other"], machine);
  const id = await queue.dispatch(note, true);
  await queue.dispatch(other);
  await done.promise;
  machine.interrupt("SIGTERM");
  assert.equal(await running, 0);
  assert.match(machine.output.stderrLines.join("\n"), /Running other\./);
  assert.equal((await queue.findOpt(id))?.status, "pending");
});

test("jobs are kept for at most a hundred years", () => {
  const fields = memory({ jobs: () => [note] }).configuration.filter(({ key }) => key.startsWith("QUEUE_KEEP"));
  assert.equal(fields.length, 2);
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_KEEP: "36526d", QUEUE_KEEP_FAILED: "36526d" });
  for (const field of fields) assert.throws(() => Configuration.read(field), { code: "E_CONFIGURATION_INVALID" });
});

test("a worker deletes the jobs that were kept long enough, and logs their number", async () => {
  using log = capturedLog();
  using _settings = configuration({
    FRAMEWORK_ENV: "test",
    QUEUE_PROCESS: "true",
    QUEUE_KEEP: "1h",
    QUEUE_KEEP_FAILED: "2h",
  });
  using clock = fakeClock();
  const queue = memory({ jobs: () => [note] });
  await queue.start({ services: [] });
  await queue.cancel(await queue.dispatch(note, true));
  await queue.dispatchAll(note, [true, false]);
  await queue.runDue();
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  const deleted: unknown[] = [];
  for (const minutes of [55, 25, 35, 25]) {
    await clock.advance(Time.minutes(minutes));
    const entries = log.entries.filter(({ message }) => message === "Old jobs are deleted");
    deleted.push(entries.map(({ fields }) => fields["jobs"]));
  }
  assert.deepEqual(deleted, [[], [2], [2], [2, 1]]);
  await queue.stop();
});

test("the health check warns of jobs that wait too long, are unregistered or have failed", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test" });
  using clock = fakeClock();
  const [queue] = open();
  await queue.start({ services: [] });
  const findings = async (): Promise<readonly (readonly [string, string])[]> =>
    ((await queue.check?.({ environment: "production" })) ?? []).map(({ level, message }) => [level, message]);
  await queue.dispatch(note, true, { delayMs: Time.hours(1) });
  assert.deepEqual(await findings(), [["ok", "No job waits too long, none has failed (1 pending, 0 running)"]]);
  await queue.dispatch(note, false);
  await queue.runDue();
  await queue.dispatch(note, true);
  const unknown: JobDefinition = { name: "unknown", handle: () => {} };
  await queue.dispatch(unknown);
  await clock.advance(Time.minutes(7));
  assert.deepEqual(await findings(), [
    ["warning", '1 job waits whose definition is not registered here: "unknown"'],
    ["warning", "The oldest due job has waited for 7m"],
    ["warning", "1 job has failed"],
  ]);
  await queue.stop();
});

test("the input type comes from the schema or from the parameter of handle", () => {
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
    queue.dispatch(plain, undefined, { delayMs: 1 }),
    queue.dispatchAll(record, [{ count: 1 }]),
    // @ts-expect-error -- expects a number
    queue.dispatch(record, { count: "1" }),
    // @ts-expect-error -- requires an input
    queue.dispatch(record),
    // @ts-expect-error -- options are not an input
    queue.dispatch(plain, { delayMs: 1 }),
    // @ts-expect-error -- expects numbers
    queue.dispatchAll(record, [{ count: 1 }, {}]),
  ];
  queue.register(record, plain, note);
  assert.equal(typeof calls, "function");
});

test("a job without a retry delay can have more than a thousand attempts", async () => {
  using _ = capturedLog("error");
  using __ = fakeClock();
  const handle = (): never => {
    throw new Error("not yet");
  };
  const stubborn = job({ name: "stubborn", retryDelayMs: 0, maxAttempts: 1100, handle });
  const queue = memory({ jobs: () => [stubborn] });
  await queue.start({ services: [] });
  await queue.dispatch(stubborn);
  const [record] = await queue.runDue();
  assert.deepEqual([record?.status, record?.attempts], ["failed", 1100]);
  await queue.stop();
});

/** Starts a queue with a running job that ends at `release`, on a store that fails while `isAway`. */
async function startRunningJob(): Promise<{
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
    maxAttempts: 2,
    handle: async (_: undefined, { job: record }) => {
      begun.push(record.attempts);
      first.resolve(undefined);
      await waiting.promise;
    },
  });
  const state = { isAway: false };
  const store = new Proxy(memoryStore(), {
    get: (target, name: keyof QueueStore) => {
      const value: unknown = target[name];
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown =>
        state.isAway
          ? Promise.reject(new Error("away"))
          : (value as (...parameters: readonly unknown[]) => unknown).apply(target, [...args]);
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

test("a process ends even if the outcomes of its jobs cannot be recorded", async () => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true", SHUTDOWN_TIMEOUT: "20s" });
  using clock = fakeClock();
  const { queue, release, store } = await startRunningJob();
  store.isAway = true;
  release();
  const ending = queue.stop();
  await clock.advance(Time.seconds(20));
  await ending;
  assert.equal(clock.pending, 0);
});

for (const [name, stall] of [
  ["an outage of the store", "away"],
  ["a sleep of the computer", "asleep"],
] as const) {
  test(`a worker does not reclaim its own jobs after ${name}`, async () => {
    using _log = capturedLog();
    using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
    using clock = fakeClock();
    const { queue, begun, release, store } = await startRunningJob();
    if (stall === "away") {
      store.isAway = true;
      await clock.advance(Time.seconds(45));
      store.isAway = false;
    } else clock.set(new Date(TimeInternals.timestamp() + Time.seconds(45)));
    await clock.advance(Time.seconds(30));
    assert.deepEqual(begun, [1]);
    release();
    await queue.drain?.();
    const [[record]] = await queue.search();
    assert.deepEqual([record?.status, record?.attempts], ["succeeded", 1]);
    await queue.stop();
  });
}

test("a worker warns once while the table of the queue is missing, and runs jobs after the migration", async (t) => {
  using log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "development", QUEUE_PROCESS: "true" });
  using clock = fakeClock();
  const database = sqlite({ url: ":memory:" });
  const queue = sql({ database, jobs: () => [note] });
  const migration = Migration.service({ database });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  const services = [database, migration, queue, server];
  for (const service of services) await service.start({ services });
  await queue.ready?.({ services });
  const problems = (): readonly string[] =>
    log.entries.filter(({ level }) => level !== "info" && level !== "debug").map(({ message }) => message);
  const waiting = 'The queue waits for its table. Run the command "migrate"';
  await waitFor(() => problems().includes(waiting), t);
  for (let second = 0; second < 30; second++) await clock.advance(Time.seconds(1));
  assert.equal(problems().length, 2);
  assert.match(problems()[0] ?? "", /^The database lacks/);
  await migration.runAll();
  const id = await queue.dispatch(note, true);
  await waitFor(async () => {
    await clock.advance(Time.seconds(1));
    return (await queue.find(id)).status === "succeeded";
  }, t);
  assert.ok(log.messages().includes("The queue can be reached again"));
  await queue.stop();
  await database.stop();
});

test("a job that is requeued while its cancellation is in progress does not fail", async (t) => {
  using _log = capturedLog();
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
  const begun = [1, 2, 3].map(() => Promise.withResolvers<undefined>());
  let count = 0;
  const work = job({
    name: "work",
    maxAttempts: 1,
    handle: async (_: undefined, { signal }) => {
      begun[count]?.resolve(undefined);
      count += 1;
      if (count < 3)
        await new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
    },
  });
  const store = memoryStore();
  const cancel: QueueStore["cancel"] = async (id, options) => {
    const isCancelled = await store.cancel(id, options);
    await store.requeue(id, options);
    queue.register(work);
    await begun[1]?.promise;
    return isCancelled;
  };
  const queue = makeQueue({ ...store, cancel }, { jobs: () => [work] });
  await queue.start({ services: [queue] });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  const id = await queue.dispatch(work);
  await begun[0]?.promise;
  await queue.cancel(id);
  await waitFor(async () => (await queue.counts()).running === 0, t);
  queue.register(work);
  await begun[2]?.promise;
  await queue.drain?.();
  assert.equal((await queue.findOpt(id))?.status, "succeeded");
  await queue.stop();
});

test("a job that is claimed while another is cancelled runs", async () => {
  using _settings = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true" });
  const done = Promise.withResolvers<undefined>();
  const work = job({ name: "work", handle: () => done.resolve(undefined) });
  const store = memoryStore();
  let other = "";
  const claim: QueueStore["claim"] = async (request) => {
    const claimed = await store.claim(request);
    if (claimed.length > 0) await queue.cancel(other);
    return claimed;
  };
  const queue = makeQueue({ ...store, claim }, { jobs: () => [work] });
  await queue.start({ services: [queue] });
  other = await queue.dispatch(work, undefined, { delayMs: 60_000 });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  await queue.dispatch(work);
  await done.promise;
  await queue.stop();
});

test("a worker ends within the time for a shutdown, even if the store does not respond", async () => {
  using log = capturedLog();
  using _ = configuration({ FRAMEWORK_ENV: "test", QUEUE_PROCESS: "true", SHUTDOWN_TIMEOUT: "20s" });
  using clock = fakeClock();
  const claiming = Promise.withResolvers<undefined>();
  const claim: QueueStore["claim"] = () => {
    claiming.resolve(undefined);
    return new Promise(() => {});
  };
  const queue = makeQueue({ ...memoryStore(), claim }, { jobs: () => [note] });
  await queue.start({ services: [queue] });
  const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
  await queue.ready?.({ services: [queue, server] });
  await claiming.promise;
  const stopped = queue.stop();
  await clock.advance(Time.seconds(15));
  await stopped;
  assert.deepEqual(log.messages(), ["The queue does not respond while the process shuts down"]);
});

test("queue.work with the name of no job fails, and lists the jobs", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const app = App.create({ services: [memory({ jobs: () => [note] })], reporters: [] });
  const machine = makeTestHost();
  assert.equal(await app.run(["queue.work", note.name, "nothing"], machine), 1);
  assert.match(machine.output.stderrLines.join("\n"), /No job is named "nothing"\. Registered jobs: note\.keep\./);
});
