import assert from "node:assert/strict";
import { test } from "node:test";
import { Time } from "../time/index.ts";
import { type CapturedLog, capturedLog, fakeClock } from "../testing/index.ts";
import type { WorkerProcess } from "./fork.ts";
import { supervise, type SupervisionState } from "./supervise.ts";

/** Worker whose events are triggered by the test. */
interface FakeWorker extends WorkerProcess {
  readonly becomeReady: () => void;
  readonly exit: (reason?: string) => void;
  readonly isShuttingDown: () => boolean;
}

interface Supervision extends Disposable {
  /** All started workers, including those that have exited. */
  readonly workers: FakeWorker[];
  /** States that were reported, as texts: numbers of the workers, replacements, state of the last one. */
  readonly states: string[];
  readonly clock: Time.FakeClock;
  readonly log: CapturedLog;
  readonly reload: () => Promise<void>;
  readonly shutDown: () => void;
  /** Promise returned by `supervise`. */
  readonly result: Promise<void>;
}

/** Waits until all pending microtasks and immediates have run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function startSupervision(count: number): Supervision {
  const workers: FakeWorker[] = [];
  const states: string[] = [];
  const onStateChange = ({ workers: serving, reloads, reload }: SupervisionState): void =>
    void states.push(`${serving.map(({ number }) => number).join()} ${reloads} ${reload}`);
  const log = capturedLog();
  const clock = fakeClock();
  const controller = new AbortController();
  let onReload = (): void => {};
  const fork = (number: number): WorkerProcess => {
    const ready = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<string>();
    let isShuttingDown = false;
    const worker: FakeWorker = {
      number,
      pid: 1000 + number,
      program: "/app/run/run.ts",
      isReady: ready.promise,
      exitReason: ended.promise,
      becomeReady: () => ready.resolve(true),
      exit: (reason = "SIGKILL") => {
        ready.resolve(false);
        ended.resolve(reason);
      },
      isShuttingDown: () => isShuttingDown,
      shutDown: () => {
        isShuttingDown = true;
        worker.exit("exit code 0");
      },
    };
    workers.push(worker);
    return worker;
  };
  const result = supervise({
    count,
    fork,
    closeListeners: async () => {},
    signal: controller.signal,
    onStateChange,
    onReload: (listener) => {
      onReload = listener;
      return () => {};
    },
  });
  result.catch(() => {});
  return {
    workers,
    states,
    clock,
    log,
    result,
    reload: () => (onReload(), settle()),
    shutDown: () => controller.abort(),
    [Symbol.dispose]: () => {
      controller.abort();
      clock[Symbol.dispose]();
      log[Symbol.dispose]();
    },
  };
}

/** Makes the last started worker ready and returns it. */
async function makeReady({ workers }: Supervision): Promise<FakeWorker> {
  await settle();
  const last = workers.at(-1);
  assert.ok(last !== undefined);
  last.becomeReady();
  await settle();
  return last;
}

test("starts the other workers when the first one is ready", async () => {
  using supervision = startSupervision(3);
  await settle();
  assert.equal(supervision.workers.length, 1);
  await makeReady(supervision);
  assert.deepEqual(
    supervision.workers.map(({ number }) => number),
    [1, 2, 3],
  );
});

test("starts no other worker if the first one fails to start", async () => {
  using supervision = startSupervision(3);
  await settle();
  supervision.workers[0]?.exit("exit code 1");
  await assert.rejects(supervision.result, { code: "E_WORKERS_START" });
  assert.equal(supervision.workers.length, 1);
});

test("replaces a stable worker immediately, and one that exits early after a delay that doubles", async () => {
  using supervision = startSupervision(1);
  const first = await makeReady(supervision);
  await supervision.clock.advance(Time.seconds(10));
  first.exit();
  await settle();
  assert.equal(supervision.workers.length, 2);
  for (const delay of [250, 500, 1000]) {
    (await makeReady(supervision)).exit();
    await settle();
    const before: number = supervision.workers.length;
    await supervision.clock.advance(delay - 1);
    await settle();
    assert.equal(supervision.workers.length, before);
    await supervision.clock.advance(1);
    await settle();
    assert.equal(supervision.workers.length, before + 1);
  }
});

test("gives up when five workers in a row fail to start and none is left", async () => {
  using supervision = startSupervision(1);
  (await makeReady(supervision)).exit();
  for (let failures = 1; failures <= 5; failures++) {
    await settle();
    await supervision.clock.advance(Time.seconds(30));
    await settle();
    supervision.workers.at(-1)?.exit("exit code 1");
  }
  await assert.rejects(supervision.result, { code: "E_WORKERS_FAILED", message: /5 in a row/ });
  assert.equal(supervision.workers.length, 6);
});

test("replaces workers that exit soon after they were ready without end, at most twice a minute", async () => {
  using supervision = startSupervision(1);
  for (let exits = 1; exits <= 20; exits++) {
    (await makeReady(supervision)).exit();
    await settle();
    await supervision.clock.advance(Time.seconds(30));
    await settle();
    assert.equal(supervision.workers.length, exits + 1);
  }
});

test("keeps restarting at least twice a minute while one worker is ready", async () => {
  using supervision = startSupervision(2);
  await makeReady(supervision);
  for (let failures = 0; failures < 20; failures++) {
    supervision.workers.at(-1)?.exit("exit code 1");
    await settle();
    await supervision.clock.advance(Time.seconds(30));
    await settle();
    assert.equal(supervision.workers.length, failures + 3);
  }
});

test("a reload starts a new worker before it shuts down an old one, and waits for its exit", async () => {
  using supervision = startSupervision(2);
  const first = await makeReady(supervision);
  const second = await makeReady(supervision);
  await supervision.reload();
  assert.deepEqual([supervision.workers.length, first.isShuttingDown()], [3, false]);
  await makeReady(supervision);
  assert.deepEqual([supervision.workers.length, first.isShuttingDown(), second.isShuttingDown()], [4, true, false]);
  await makeReady(supervision);
  assert.equal(second.isShuttingDown(), true);
  await supervision.clock.advance(Time.minutes(5));
  await settle();
  assert.equal(supervision.workers.length, 4);
});

test("keeps the old workers if a new one fails to start during a reload", async () => {
  using supervision = startSupervision(2);
  const oldWorkers = [await makeReady(supervision), await makeReady(supervision)];
  await supervision.reload();
  supervision.workers.at(-1)?.exit("exit code 1");
  await settle();
  assert.deepEqual(
    oldWorkers.map((worker) => worker.isShuttingDown()),
    [false, false],
  );
  assert.match(supervision.log.messages().at(-1) ?? "", /^Workers not replaced/);
});

test("reports each change of the workers, and the end of a replacement", async () => {
  using supervision = startSupervision(1);
  await makeReady(supervision);
  await supervision.reload();
  await makeReady(supervision);
  await supervision.reload();
  supervision.workers.at(-1)?.exit("exit code 1");
  await settle();
  // The new worker answers before the replacement has ended, and the old one is not counted any more.
  assert.deepEqual(supervision.states, [
    "1 0 none",
    "1 0 running",
    "2 0 running",
    "2 1 done",
    "2 1 running",
    "2 2 failed",
  ]);
});

test("coalesces reloads requested during a reload into one", async () => {
  using supervision = startSupervision(1);
  await makeReady(supervision);
  await supervision.reload();
  await supervision.reload();
  await supervision.reload();
  assert.equal(supervision.workers.length, 2);
  await makeReady(supervision);
  assert.equal(supervision.workers.length, 3);
  await makeReady(supervision);
  assert.equal(supervision.workers.length, 3);
});

test("waits on shutdown for all workers, including those that are starting", async () => {
  using supervision = startSupervision(2);
  const first = await makeReady(supervision);
  supervision.shutDown();
  await supervision.result;
  assert.deepEqual([first.isShuttingDown(), supervision.workers[1]?.isShuttingDown()], [true, true]);
  assert.deepEqual(
    supervision.log.entries.filter(({ level }) => level === "error"),
    [],
  );
});
