import assert from "node:assert/strict";
import { error, ok, Time } from "limmat";
import { job, type JobFailure, type JobRecord } from "limmat/queue";
import { capturedLog, fakeClock } from "limmat/testing";
import type { QueueContractContext } from "./test-queues.ts";

/** Registers the cases of outcomes: success, failure, retries and timeouts. */
export function outcomeCases({ runner: { test }, openQueues }: QueueContractContext): void {
  test("a job that throws is retried with exponential backoff, and fails after its last attempt", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const failures: JobFailure[] = [];
    let attempts = 0;
    const fetch = job({
      name: "fetch",
      maxAttempts: 4,
      retryDelayMs: Time.minutes(2),
      handle: () => {
        attempts += 1;
        throw new Error(`no answer \u0000\uD800 ${attempts}`, { cause: new TypeError("gone") });
      },
      failed: (failure) => void failures.push(failure),
    });
    const queue = await queues.start(fetch);
    const id = await queue.dispatch(fetch, undefined, { ctx: [["a", "b"]] });
    const delays: number[] = [];
    for (let round = 1; round < 4; round++) {
      const [record] = await queue.runDue();
      assert.deepEqual([record?.status, record?.attempts], ["pending", round]);
      assert.match(record?.last_error ?? "", new RegExp(`^Error: no answer .. ${round}\nCaused by TypeError: gone$`));
      assert.deepEqual(record?.last_error_at, Time.now());
      const delay = (record?.next_run_at.getTime() ?? 0) - Time.now().getTime();
      delays.push(delay);
      await clock.advance(delay - 1);
      assert.deepEqual(await queue.runDue(), []);
      await clock.advance(1);
    }
    for (const [index, delay] of delays.entries()) {
      const base = Time.minutes(2) * 2 ** index;
      assert.ok(delay >= base && delay <= base * 1.25, `${delay} after try ${index + 1}`);
    }
    assert.equal(failures.length, 0);
    const [failed] = await queue.runDue();
    assert.deepEqual([failed?.status, failed?.attempts, failed?.finished_at], ["failed", 4, Time.now()]);
    assert.equal(failures.length, 1);
    assert.match(String(failures[0]?.error), /no answer/);
    assert.deepEqual(failures[0]?.ctx, [["a", "b"]]);
    assert.deepEqual({ ...failures[0]?.job, updated_at: undefined }, { ...failed, updated_at: undefined });
    await clock.advance(Time.days(30));
    assert.deepEqual(await queue.runDue(), []);
    assert.equal((await queue.findOpt(id))?.attempts, 4);
  });

  test("the retry delay is at most a day, unless the first one is longer", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const handle = (): never => {
      throw new Error("no");
    };
    const slow = job({ name: "slow", maxAttempts: 20, retryDelayMs: Time.hours(20), handle });
    const weekly = job({ name: "weekly", maxAttempts: 20, retryDelayMs: Time.days(7), handle });
    const queue = await queues.start(slow, weekly);
    const delayOf = (record: JobRecord | undefined): number =>
      (record?.next_run_at.getTime() ?? 0) - Time.now().getTime();
    await queue.dispatch(slow);
    for (let round = 0; round < 3; round++) {
      const [record] = await queue.runDue();
      const delay = delayOf(record);
      if (round > 0) assert.ok(delay >= Time.days(1) && delay <= Time.days(1.25), String(delay));
      await clock.advance(delay);
    }
    await queue.purge();
    await queue.dispatch(weekly);
    const records = await queue.runDue();
    assert.ok(delayOf(records.find(({ name }) => name === "weekly")) >= Time.days(7));
  });

  test("a result with an error fails without a retry, a result with a value succeeds", async () => {
    using _ = capturedLog();
    await using queues = openQueues();
    const failures: unknown[] = [];
    const send = job({
      name: "send",
      handle: (isKnown: boolean) => (isKnown ? ok("sent") : error("no such address")),
      failed: ({ error: reason }) => {
        failures.push(reason);
        throw new Error("the hook failed");
      },
    });
    const queue = await queues.start(send);
    await queue.dispatchAll(send, [true, false]);
    const ends = await queue.runDue();
    assert.deepEqual(
      ends.map(({ status, attempts, last_error }) => [status, attempts, last_error]),
      [
        ["succeeded", 1, undefined],
        ["failed", 1, "no such address"],
      ],
    );
    assert.deepEqual(failures, ["no such address"]);
  });

  test("any thrown value fails the attempt, and the next job starts", async () => {
    using log = capturedLog("error");
    await using queues = openQueues();
    const thrownValues: Readonly<Record<string, () => unknown>> = {
      nothing: () => undefined,
      "no prototype": () => Object.create(null) as unknown,
      symbol: () => Symbol("s"),
      "a cyclic cause": () => {
        const cyclic = new Error("x");
        cyclic.cause = cyclic;
        return cyclic;
      },
      "no text": () => Object.assign(new Error("x"), { message: Symbol("m") }),
      "a getter that throws": () =>
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("y");
          },
        }),
      "an object that throws when it is inspected": () => ({
        [Symbol.for("nodejs.util.inspect.custom")]: () => {
          throw new Error("z");
        },
      }),
      "a revoked proxy": () => {
        const { proxy, revoke } = Proxy.revocable(new Error("x"), {});
        revoke();
        return proxy;
      },
    };
    const failures: string[] = [];
    const poison = job({
      name: "poison",
      maxAttempts: 1,
      handle: ([kind = "", isResult]: readonly [string?, boolean?]) => {
        const reason = thrownValues[kind]?.();
        if (isResult) return error(reason);
        throw reason;
      },
      failed: ({ job: record }) => void failures.push(record.last_error ?? ""),
    });
    const queue = await queues.start(poison);
    for (const kind of Object.keys(thrownValues)) {
      for (const isResult of [false, true]) {
        await queue.dispatch(poison, [kind, isResult]);
        const [record] = await queue.runDue();
        assert.equal(record?.status, "failed", kind);
      }
    }
    assert.equal(failures.length, 2 * Object.keys(thrownValues).length);
    assert.equal(failures.at(-1), "Error: A value was thrown that cannot be read");
    assert.equal(log.messages().length, failures.length);
  });

  test("a job that exceeds its timeout is aborted and fails", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using queues = openQueues();
    const reasons: unknown[] = [];
    const begun = Promise.withResolvers<undefined>();
    const slow = job({
      name: "slow",
      timeoutMs: Time.seconds(3),
      maxAttempts: 1,
      handle: (_input: undefined, { signal }) =>
        new Promise<undefined>(() => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          begun.resolve(undefined);
        }),
    });
    const queue = await queues.start(slow);
    await queue.dispatch(slow);
    const running = queue.runDue();
    await begun.promise;
    await clock.advance(Time.seconds(3));
    assert.equal((reasons[0] as { readonly code?: string }).code, "E_QUEUE_TIMEOUT");
    await clock.advance(Time.seconds(1));
    const [record] = await running;
    assert.equal(record?.status, "failed");
    assert.match(record?.last_error ?? "", /E_QUEUE_TIMEOUT.*3s/);
  });

  test("a job may dispatch other jobs, which run as well", async () => {
    await using queues = openQueues();
    const order: number[] = [];
    const countdown = job({
      name: "countdown",
      handle: async (from: number) => {
        order.push(from);
        if (from > 0) await queue.dispatch(countdown, from - 1);
      },
    });
    const queue = await queues.start(countdown);
    await queue.dispatch(countdown, 3);
    assert.equal((await queue.runDue()).length, 4);
    assert.deepEqual(order, [3, 2, 1, 0]);
  });
}
