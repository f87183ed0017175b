import assert from "node:assert/strict";
import { test } from "node:test";
import { Time } from "../../time/index.ts";
import { type CapturedLog, capturedLog, fakeClock } from "../../testing/index.ts";
import type { WorkerProcess } from "./fork.ts";
import { supervise } from "./supervise.ts";

/** A worker that the test plays. */
interface Played extends WorkerProcess {
  readonly becomeReady: () => void;
  readonly die: (how?: string) => void;
  readonly isTold: () => boolean;
}

interface Stage extends Disposable {
  /** All that were started, the dead included. */
  readonly workers: Played[];
  readonly clock: Time.FakeClock;
  readonly log: CapturedLog;
  readonly reload: () => Promise<void>;
  readonly end: () => void;
  /** Settles with the supervision. */
  readonly over: Promise<void>;
}

/** Lets all that is under way go on until it waits. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function stage(count: number): Stage {
  const workers: Played[] = [];
  const log = capturedLog();
  const clock = fakeClock();
  const control = new AbortController();
  let onReload = (): void => {};
  const fork = (number: number): WorkerProcess => {
    const ready = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<string>();
    let isTold = false;
    const played: Played = {
      number,
      isReady: ready.promise,
      ended: ended.promise,
      becomeReady: () => ready.resolve(true),
      die: (how = "SIGKILL") => {
        ready.resolve(false);
        ended.resolve(how);
      },
      isTold: () => isTold,
      end: () => {
        isTold = true;
        played.die("exit code 0");
      },
    };
    workers.push(played);
    return played;
  };
  const over = supervise({
    count,
    fork,
    signal: control.signal,
    onReload: (listener) => {
      onReload = listener;
      return () => {};
    },
  });
  over.catch(() => {});
  return {
    workers,
    clock,
    log,
    over,
    reload: () => (onReload(), settle()),
    end: () => control.abort(),
    [Symbol.dispose]: () => {
      control.abort();
      clock[Symbol.dispose]();
      log[Symbol.dispose]();
    },
  };
}

/** Lets the last worker that was started serve. */
async function serve({ workers }: Stage): Promise<Played> {
  await settle();
  const last = workers.at(-1);
  assert.ok(last !== undefined);
  last.becomeReady();
  await settle();
  return last;
}

test("the others start when the first one serves", async () => {
  using play = stage(3);
  await settle();
  assert.equal(play.workers.length, 1);
  await serve(play);
  assert.deepEqual(
    play.workers.map(({ number }) => number),
    [1, 2, 3],
  );
});

test("nothing more starts when the first one does not", async () => {
  using play = stage(3);
  await settle();
  play.workers[0]?.die("exit code 1");
  await assert.rejects(play.over, { code: "E_WORKERS_START" });
  assert.equal(play.workers.length, 1);
});

test("one that has served for a while is replaced at once, one that dies young after a delay that doubles", async () => {
  using play = stage(1);
  const first = await serve(play);
  await play.clock.advance(Time.seconds(10));
  first.die();
  await settle();
  assert.equal(play.workers.length, 2);
  for (const delay of [250, 500, 1000]) {
    (await serve(play)).die();
    await settle();
    const before: number = play.workers.length;
    await play.clock.advance(delay - 1);
    await settle();
    assert.equal(play.workers.length, before);
    await play.clock.advance(1);
    await settle();
    assert.equal(play.workers.length, before + 1);
  }
});

test("it gives up when five in a row fail and none is left", async () => {
  using play = stage(1);
  (await serve(play)).die();
  for (let failures = 1; failures < 5; failures++) {
    await settle();
    await play.clock.advance(Time.seconds(30));
    await settle();
    play.workers.at(-1)?.die("exit code 1");
  }
  await assert.rejects(play.over, { code: "E_WORKERS_FAILED", message: /5 in a row/ });
  assert.equal(play.workers.length, 5);
});

test("as long as one serves it goes on trying, twice a minute at least", async () => {
  using play = stage(2);
  await serve(play);
  for (let failures = 0; failures < 20; failures++) {
    play.workers.at(-1)?.die("exit code 1");
    await settle();
    await play.clock.advance(Time.seconds(30));
    await settle();
    assert.equal(play.workers.length, failures + 3);
  }
});

test("a reload starts a new one before it ends an old one, and waits for its end", async () => {
  using play = stage(2);
  const first = await serve(play);
  const second = await serve(play);
  await play.reload();
  assert.deepEqual([play.workers.length, first.isTold()], [3, false]);
  await serve(play);
  assert.deepEqual([play.workers.length, first.isTold(), second.isTold()], [4, true, false]);
  await serve(play);
  assert.equal(second.isTold(), true);
  await play.clock.advance(Time.minutes(5));
  await settle();
  assert.equal(play.workers.length, 4);
});

test("a reload whose new ones do not start leaves the old ones", async () => {
  using play = stage(2);
  const olds = [await serve(play), await serve(play)];
  await play.reload();
  play.workers.at(-1)?.die("exit code 1");
  await settle();
  assert.deepEqual(
    olds.map((old) => old.isTold()),
    [false, false],
  );
  assert.match(play.log.messages().at(-1) ?? "", /were not replaced/);
});

test("a reload that is asked for during another is done after it, once", async () => {
  using play = stage(1);
  await serve(play);
  await play.reload();
  await play.reload();
  await play.reload();
  assert.equal(play.workers.length, 2);
  await serve(play);
  assert.equal(play.workers.length, 3);
  await serve(play);
  assert.equal(play.workers.length, 3);
});

test("an end waits for all workers, those that start included", async () => {
  using play = stage(2);
  const first = await serve(play);
  play.end();
  await play.over;
  assert.deepEqual([first.isTold(), play.workers[1]?.isTold()], [true, true]);
  assert.deepEqual(
    play.log.entries.filter(({ level }) => level === "error"),
    [],
  );
});
