// What becomes of one job, on a queue in memory: what is the same whatever keeps it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { capturedLog, configuration, fakeClock } from "../../testing/index.ts";
import { Time } from "../../time/index.ts";
import type { DispatchOptions, Instance, Job, Queue } from "./contract.ts";
import { job, memory } from "./index.ts";

interface Opened extends AsyncDisposable {
  readonly queue: Queue;
  readonly log: ReturnType<typeof capturedLog>;
  readonly clock: Time.FakeClock;
}

async function open(...jobs: readonly Job[]): Promise<Opened> {
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

const failing = (thrown: unknown, more: Partial<Job> = {}): Job =>
  job({
    ...more,
    name: "fail",
    handle: () => {
      throw thrown;
    },
  });

const outcomeOf = async (thrown: unknown): Promise<string> => {
  const failed = failing(thrown, { maxTries: 1 });
  await using opened = await open(failed);
  await opened.queue.dispatch(failed);
  const [instance] = await opened.queue.runDue();
  assert.equal(instance?.status, "failed");
  return instance.last_error ?? "";
};

describe("the error of a job", () => {
  test("is kept as code, message and causes, at most six of them", async () => {
    assert.equal(await outcomeOf(new TypeError("no")), "TypeError: no");
    assert.equal(await outcomeOf(Object.assign(new Error("gone"), { code: "ENOENT" })), "ENOENT: gone");
    assert.equal(await outcomeOf(Object.assign(new Error("gone"), { code: 7 })), "Error: gone");
    assert.equal(await outcomeOf(new Error("a", { cause: "b" })), "Error: a\nCaused by b");
    assert.equal(await outcomeOf("text"), "text");
    assert.equal(await outcomeOf({ a: 1 }), "{ a: 1 }");
    let deep = new Error("0");
    for (let depth = 1; depth < 20; depth++) deep = new Error(String(depth), { cause: deep });
    const lines = ["Error: 19", ...[18, 17, 16, 15, 14].map((depth) => `Caused by Error: ${depth}`)];
    assert.equal(await outcomeOf(deep), lines.join("\n"));
  });

  test("is cut off, and holds only what every table can", async () => {
    assert.equal(await outcomeOf("x".repeat(4000)), "x".repeat(4000));
    assert.equal(await outcomeOf("x".repeat(4001)), "x".repeat(4000));
    assert.equal(await outcomeOf("a\0b\0\ud800"), "a\ufffdb\ufffd\ufffd");
  });
});

describe("a job that failed", () => {
  const delays = async (options: Partial<Job>, tries: number): Promise<readonly number[]> => {
    const failed = failing(new Error("no"), { ...options, maxTries: tries });
    await using opened = await open(failed);
    const id = await opened.queue.dispatch(failed);
    const found: number[] = [];
    for (;;) {
      await opened.queue.runDue();
      const instance = (await opened.queue.find(id)) as Instance;
      if (instance.status === "failed") return found;
      found.push(instance.next_run_at.getTime() - Time.timestamp());
      await opened.clock.advance(found.at(-1) ?? 0);
    }
  };
  const areWithin = (found: readonly number[], bases: readonly number[]): void => {
    assert.equal(found.length, bases.length);
    for (const [at, base] of bases.entries()) {
      const delay = found[at] ?? 0;
      assert.ok(delay >= base && delay <= base * 1.25, `${delay} is not ${base} and up to a quarter more`);
    }
  };

  test("is tried again after a minute, two, four and eight", async () => {
    areWithin(await delays({}, 5), [1, 2, 4, 8].map(Time.minutes));
  });

  test("is tried again within a day, or as late as it asks itself", async () => {
    areWithin(await delays({ retryDelay: Time.hours(10) }, 4), [10, 20, 24].map(Time.hours));
    areWithin(await delays({ retryDelay: Time.days(3) }, 3), [3, 3].map(Time.days));
    assert.deepEqual(await delays({ retryDelay: 0 }, 3), [], "all tries in one turn");
  });

  test("is not tried again beside others that failed with it", async () => {
    const all = new Set<number | undefined>();
    for (let count = 0; count < 20; count++) all.add((await delays({}, 2))[0]);
    assert.ok(all.size > 10);
  });
});

describe("a job that takes too long", () => {
  test("has failed by that, whatever it says itself", async () => {
    const slow = job({
      name: "slow",
      timeout: Time.seconds(5),
      maxTries: 1,
      handle: (_: undefined, { signal }) =>
        new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("my own")))),
    });
    await using opened = await open(slow);
    await opened.queue.dispatch(slow);
    const run = opened.queue.runDue();
    while (opened.clock.pending < 1) await new Promise((resolve) => setImmediate(resolve));
    await opened.clock.advance(Time.seconds(5));
    const [instance] = await run;
    assert.match(instance?.last_error ?? "", /^E_QUEUE_TIMEOUT: /);
  });

  test("is not waited for any more once it has ended", async () => {
    let held: AbortSignal | undefined;
    const quick = job({
      name: "quick",
      timeout: Time.seconds(5),
      handle: (_: undefined, { signal }) => void (held = signal),
    });
    await using opened = await open(quick);
    await opened.queue.dispatch(quick);
    await opened.queue.runDue();
    await opened.clock.advance(Time.minutes(1));
    assert.equal(held?.aborted, false);
  });
});

describe("a dispatch", () => {
  const plain = job({ name: "plain", handle: () => {} });
  const dispatched = async (options: DispatchOptions): Promise<Instance> => {
    await using opened = await open(plain);
    const id = await opened.queue.dispatch(plain, undefined, options);
    return (await opened.queue.find(id)) as Instance;
  };

  test("is refused with options that no store can keep", async () => {
    for (const wrong of [
      { priority: "urgent" as never },
      { tag: "x".repeat(129) },
      { tag: "a\nb" },
      { tag: "a\ud800" },
      { delay: -1 },
      { delay: NaN },
      { delay: Infinity },
      { at: new Date(NaN) },
      { delay: 101 * Time.days(366) },
    ]) {
      await assert.rejects(dispatched(wrong), (error) => isError(error, "E_QUEUE_JOB"), JSON.stringify(wrong));
    }
  });

  test("is for now when its time has passed", async () => {
    const now = new Date("2030-01-01T00:00:00Z");
    assert.deepEqual((await dispatched({ at: new Date(0) })).next_run_at, now);
    assert.deepEqual((await dispatched({})).next_run_at, now);
    assert.deepEqual((await dispatched({ delay: 7 })).next_run_at, new Date(now.getTime() + 7));
    assert.deepEqual((await dispatched({ at: new Date(now.getTime() + 9) })).next_run_at, new Date(now.getTime() + 9));
    assert.equal((await dispatched({ tag: "x".repeat(128) })).tag, "x".repeat(128));
  });

  test("takes the plain fields of the log with it, but for the process", async () => {
    const telling = job({ name: "telling", handle: () => Log.source("test").info("here") });
    await using opened = await open(telling);
    await Log.withFields({ request: "r", user: 7, isNew: true, worker: 3, more: { a: 1 } }, () =>
      opened.queue.dispatch(telling),
    );
    await opened.queue.runDue();
    const { fields = {} } = opened.log.entries.find(({ message }) => message === "here") ?? {};
    const { job_id: _, ...others } = fields;
    assert.deepEqual(others, { request: "r", user: 7, isNew: true, job: "telling", try: 1 });
  });
});

describe("a definition", () => {
  const isTaken = async (definition: Job): Promise<boolean> => {
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
  const years = 100 * Time.days(365);

  test("has a plain name, and limits that can be kept", async () => {
    for (const right of [
      { name: "a.b:c-D_1" },
      { name: "x".repeat(128) },
      { name: "a", maxTries: 1 },
      { name: "a", retryDelay: 0 },
      { name: "a", retryDelay: years },
      { name: "a", timeout: 0.5 },
      { name: "a", tag: "ü".repeat(128) },
    ]) {
      assert.equal(await isTaken({ ...right, handle }), true, JSON.stringify(right));
    }
    for (const wrong of [
      { name: "" },
      { name: "a b" },
      { name: "a\n" },
      { name: "x".repeat(129) },
      { name: "a", maxTries: 0 },
      { name: "a", maxTries: 1.5 },
      { name: "a", maxTries: Infinity },
      { name: "a", retryDelay: -1 },
      { name: "a", retryDelay: NaN },
      { name: "a", retryDelay: 2 * years },
      { name: "a", timeout: 0 },
      { name: "a", timeout: Infinity },
      { name: "a", tag: "x".repeat(129) },
      { name: "a", tag: "\u0085" },
      { name: "a", tag: "\udc00" },
    ]) {
      assert.equal(await isTaken({ ...wrong, handle }), false, JSON.stringify(wrong));
    }
  });

  test("is told of once when it is dispatched and nobody here knows it", async () => {
    await using opened = await open();
    const unknown = job({ name: "unknown", handle });
    await opened.queue.dispatch(unknown);
    await opened.queue.dispatch(unknown);
    const told = opened.log.entries.filter(({ level }) => level === "warning");
    assert.deepEqual(
      told.map(({ message, fields }) => [message.slice(0, 50), fields]),
      [['The job "unknown" is dispatched but not registered', { job: "unknown" }]],
    );
    await assert.rejects(opened.queue.dispatch(job({ name: "a b", handle })), (error) => isError(error, "E_QUEUE_JOB"));
    opened.queue.register(unknown, unknown);
    assert.throws(
      () => opened.queue.register(job({ name: "unknown", handle })),
      (error) => isError(error, "E_QUEUE_JOB_TAKEN"),
    );
  });
});
