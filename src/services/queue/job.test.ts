// Errors, retries, timeouts, dispatch options and definitions of jobs, on a queue in memory: the same for all stores.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { Language } from "../../language/index.ts";
import { Log } from "../../log/index.ts";
import { Schema } from "../../schema/index.ts";
import { capturedLog, configuration, fakeClock, waitFor } from "../../testing/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { DispatchOptions, JobRecord, JobDefinition, Queue } from "./contract.ts";
import { job, memory } from "./index.ts";

interface Opened extends AsyncDisposable {
  readonly queue: Queue;
  readonly log: ReturnType<typeof capturedLog>;
  readonly clock: Time.FakeClock;
}

async function open(...jobs: readonly JobDefinition[]): Promise<Opened> {
  const log = capturedLog();
  const settings = configuration({ FRAMEWORK_ENV: "test" });
  const clock = fakeClock();
  const queue = memory({ jobs: () => jobs });
  await queue.start({ services: [] });
  const close = async (): Promise<void> => {
    await queue.stop();
    clock[Symbol.dispose]();
    settings[Symbol.dispose]();
    log[Symbol.dispose]();
  };
  return { queue, log, clock, [Symbol.asyncDispose]: close };
}

const failing = (thrown: unknown, more: Partial<JobDefinition> = {}): JobDefinition =>
  job({
    ...more,
    name: "fail",
    handle: () => {
      throw thrown;
    },
  });

const lastErrorOf = async (thrown: unknown): Promise<string> => {
  const failed = failing(thrown, { maxAttempts: 1 });
  await using opened = await open(failed);
  await opened.queue.dispatch(failed);
  const [record] = await opened.queue.runDue();
  assert.equal(record?.status, "failed");
  return record.last_error ?? "";
};

describe("the error of a job", () => {
  test("is stored as code, message and at most five causes", async () => {
    assert.equal(await lastErrorOf(new TypeError("no")), "TypeError: no");
    assert.equal(await lastErrorOf(Object.assign(new Error("gone"), { code: "ENOENT" })), "ENOENT: gone");
    assert.equal(await lastErrorOf(Object.assign(new Error("gone"), { code: 7 })), "Error: gone");
    assert.equal(await lastErrorOf(new Error("a", { cause: "b" })), "Error: a\nCaused by b");
    assert.equal(await lastErrorOf("text"), "text");
    assert.equal(await lastErrorOf({ a: 1 }), "{ a: 1 }");
    let deep = new Error("0");
    for (let depth = 1; depth < 20; depth++) deep = new Error(String(depth), { cause: deep });
    const lines = ["Error: 19", ...[18, 17, 16, 15, 14].map((depth) => `Caused by Error: ${depth}`)];
    assert.equal(await lastErrorOf(deep), lines.join("\n"));
  });

  test("is truncated, and contains only characters that every database can hold", async () => {
    assert.equal(await lastErrorOf("x".repeat(4000)), "x".repeat(4000));
    assert.equal(await lastErrorOf("x".repeat(4001)), "x".repeat(4000));
    assert.equal(await lastErrorOf("a\0b\0\ud800"), "a\ufffdb\ufffd\ufffd");
  });
});

describe("a job that failed", () => {
  const retryDelays = async (options: Partial<JobDefinition>, maxAttempts: number): Promise<readonly number[]> => {
    const failed = failing(new Error("no"), { ...options, maxAttempts });
    await using opened = await open(failed);
    const id = await opened.queue.dispatch(failed);
    const delays: number[] = [];
    for (;;) {
      await opened.queue.runDue();
      const { status, next_run_at } = await opened.queue.find(id);
      if (status === "failed") return delays;
      delays.push(next_run_at.getTime() - TimeInternals.timestamp());
      await opened.clock.advance(delays.at(-1) ?? 0);
    }
  };
  const assertJittered = (delays: readonly number[], bases: readonly number[]): void => {
    assert.equal(delays.length, bases.length);
    for (const [index, base] of bases.entries()) {
      const delay = delays[index] ?? 0;
      assert.ok(delay >= base && delay <= base * 1.25, `${delay} is not ${base} and up to a quarter more`);
    }
  };

  test("is retried after one, two, four and eight minutes", async () => {
    assertJittered(await retryDelays({}, 5), [1, 2, 4, 8].map(Time.minutes));
  });

  test("is retried within a day, or after its own retryDelayMs if that is longer", async () => {
    assertJittered(await retryDelays({ retryDelayMs: Time.hours(10) }, 4), [10, 20, 24].map(Time.hours));
    assertJittered(await retryDelays({ retryDelayMs: Time.days(3) }, 3), [3, 3].map(Time.days));
    assert.deepEqual(await retryDelays({ retryDelayMs: 0 }, 3), [], "all attempts in one run");
  });

  test("is not retried at the same time as others that failed with it", async () => {
    const all = new Set<number | undefined>();
    for (let count = 0; count < 20; count++) all.add((await retryDelays({}, 2))[0]);
    assert.ok(all.size > 10);
  });
});

describe("a job that takes too long", () => {
  test("fails with E_QUEUE_TIMEOUT, even if it throws another error", async (t) => {
    const slow = job({
      name: "slow",
      timeoutMs: Time.seconds(5),
      maxAttempts: 1,
      handle: (_: undefined, { signal }) =>
        new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("own error")))),
    });
    await using opened = await open(slow);
    await opened.queue.dispatch(slow);
    const run = opened.queue.runDue();
    await waitFor(() => opened.clock.pending > 0, t);
    await opened.clock.advance(Time.seconds(5));
    const [record] = await run;
    assert.match(record?.last_error ?? "", /^E_QUEUE_TIMEOUT: /);
  });

  test("does not abort the signal after the job has ended", async () => {
    let jobSignal: AbortSignal | undefined;
    const quick = job({
      name: "quick",
      timeoutMs: Time.seconds(5),
      handle: (_: undefined, { signal }) => void (jobSignal = signal),
    });
    await using opened = await open(quick);
    await opened.queue.dispatch(quick);
    await opened.queue.runDue();
    await opened.clock.advance(Time.minutes(1));
    assert.equal(jobSignal?.aborted, false);
  });
});

describe("a dispatch", () => {
  const plain = job({ name: "plain", handle: () => {} });
  const dispatched = async (options: DispatchOptions): Promise<JobRecord> => {
    await using opened = await open(plain);
    const id = await opened.queue.dispatch(plain, undefined, options);
    return opened.queue.find(id);
  };

  test("refuses options that no store can hold", async () => {
    for (const wrong of [
      { priority: "urgent" as never },
      { tag: "x".repeat(129) },
      { tag: "a\nb" },
      { tag: "a\ud800" },
      { delayMs: -1 },
      { delayMs: NaN },
      { delayMs: Infinity },
      { at: new Date(NaN) },
      { delayMs: 101 * Time.days(366) },
    ] satisfies readonly DispatchOptions[]) {
      await assert.rejects(dispatched(wrong), (error) => isError(error, "E_QUEUE_JOB"), JSON.stringify(wrong));
    }
  });

  test("starts now if its time has passed", async () => {
    const now = new Date("2030-01-01T00:00:00Z");
    assert.deepEqual((await dispatched({ at: new Date(0) })).next_run_at, now);
    assert.deepEqual((await dispatched({})).next_run_at, now);
    assert.deepEqual((await dispatched({ delayMs: 7 })).next_run_at, new Date(now.getTime() + 7));
    assert.deepEqual((await dispatched({ at: new Date(now.getTime() + 9) })).next_run_at, new Date(now.getTime() + 9));
    assert.equal((await dispatched({ tag: "x".repeat(128) })).tag, "x".repeat(128));
  });

  test("stores log fields of simple types, except the worker", async () => {
    const logging = job({ name: "logging", handle: () => Log.source("test").info("here") });
    await using opened = await open(logging);
    await Log.withFields({ request: "r", user: 7, isNew: true, worker: 3, more: { a: 1 } }, () =>
      opened.queue.dispatch(logging),
    );
    await opened.queue.runDue();
    const { fields = {} } = opened.log.entries.find(({ message }) => message === "here") ?? {};
    const { job_id: _, ...fieldsWithoutId } = fields;
    assert.deepEqual(fieldsWithoutId, { request: "r", user: 7, isNew: true, job: "logging", attempt: 1 });
  });
});

describe("a definition", () => {
  const isAccepted = async (definition: JobDefinition): Promise<boolean> => {
    await using opened = await open();
    try {
      opened.queue.register(definition);
      return true;
    } catch (error) {
      assert.ok(isError(error, "E_QUEUE_JOB"));
      return false;
    }
  };
  const handle = (): void => {};
  const hundredYearsMs = 100 * Time.days(365);

  test("needs a valid name, valid limits and a valid tag", async () => {
    for (const right of [
      { name: "a.b:c-D_1" },
      { name: "x".repeat(128) },
      { name: "a", maxAttempts: 1 },
      { name: "a", retryDelayMs: 0 },
      { name: "a", retryDelayMs: hundredYearsMs },
      { name: "a", timeoutMs: 0.5 },
      { name: "a", tag: "ü".repeat(128) },
    ] satisfies readonly Omit<JobDefinition, "handle">[]) {
      assert.equal(await isAccepted({ ...right, handle }), true, JSON.stringify(right));
    }
    for (const wrong of [
      { name: "" },
      { name: "a b" },
      { name: "a\n" },
      { name: "x".repeat(129) },
      { name: "a", maxAttempts: 0 },
      { name: "a", maxAttempts: 1.5 },
      { name: "a", maxAttempts: Infinity },
      { name: "a", retryDelayMs: -1 },
      { name: "a", retryDelayMs: NaN },
      { name: "a", retryDelayMs: 2 * hundredYearsMs },
      { name: "a", timeoutMs: 0 },
      { name: "a", timeoutMs: Infinity },
      { name: "a", tag: "x".repeat(129) },
      { name: "a", tag: "\u0085" },
      { name: "a", tag: "\udc00" },
    ] satisfies readonly Omit<JobDefinition, "handle">[]) {
      assert.equal(await isAccepted({ ...wrong, handle }), false, JSON.stringify(wrong));
    }
  });

  test("logs one warning if it is dispatched but not registered", async () => {
    await using opened = await open();
    const unknown = job({ name: "unknown", handle });
    await opened.queue.dispatch(unknown);
    await opened.queue.dispatch(unknown);
    const warnings = opened.log.entries.filter(({ level }) => level === "warning");
    assert.deepEqual(
      warnings.map(({ message, fields }) => [message, fields]),
      [
        [
          'The job "unknown" is dispatched but not registered: it waits for a process that registers it. Add it to the jobs of the queue, or list the service that registers it',
          { job: "unknown" },
        ],
      ],
    );
    await assert.rejects(opened.queue.dispatch(job({ name: "a b", handle })), (error) => isError(error, "E_QUEUE_JOB"));
    opened.queue.register(unknown, unknown);
    assert.throws(
      () => opened.queue.register(job({ name: "unknown", handle })),
      (error) => isError(error, "E_QUEUE_JOB_TAKEN"),
    );
  });
});

test("the error of an input says which value is invalid, and where it is", async () => {
  const anything: JobDefinition = { name: "anything", handle: () => {} };
  const remind = job({
    name: "remind",
    input: Schema.record({ to: Schema.record({ count: Schema.int() }) }),
    handle: () => {},
  });
  await using opened = await open(anything, remind);
  const circular: unknown[] = [1];
  circular.push({ self: circular });
  let deep: unknown = 1;
  for (let depth = 0; depth < 100; depth++) deep = [deep];
  assert.equal(typeof (await opened.queue.dispatch(anything, deep)), "string");
  for (const [input, problem] of [
    [() => {}, "the input, which is of type function"],
    [{ a: [1, { b: Number.NaN }] }, "the input.a[1].b, which is NaN"],
    [{ a: new Map() }, "the input.a, which is a Map"],
    [circular, "the input[1].self, which contains itself"],
    [[deep], "which is nested deeper than 100 levels"],
  ] as const)
    await assert.rejects(
      opened.queue.dispatch(anything, input),
      (error: Error) => isError(error, "E_QUEUE_INPUT") && error.message.includes(problem),
    );
  await assert.rejects(
    opened.queue.dispatch(remind, { to: { count: "x" } } as never),
    (error: Error) => isError(error, "E_QUEUE_INPUT") && error.message.includes("to.count: "),
  );
});

test("a job and its failure run in the base language, although a request in another one dispatches it", async () => {
  const languages = Language.make("en", { en: {}, de: {} });
  const seen: string[] = [];
  const note = (): void => void seen.push(Language.current());
  const refused = job({
    name: "fail",
    maxAttempts: 1,
    handle: () => {
      note();
      throw new Error("no");
    },
    failed: note,
  });
  await using opened = await open(refused);
  await languages.run("de", async () => {
    await opened.queue.dispatch(refused);
    await opened.queue.runDue();
    note();
  });
  assert.deepEqual(seen, ["en", "en", "de"]);
});
