import assert from "node:assert/strict";
import { error, ok } from "../../core/index.ts";
import { type Failure, type Instance, job } from "../../services/queue/index.ts";
import { Time } from "../../time/index.ts";
import { capturedLog, fakeClock } from "../replace.ts";
import type { QueueSetting } from "./stage.ts";

/** How tries end, and what follows. */
export function endCases({ runner: { test }, stage }: QueueSetting): void {
  test("what throws is tried again after longer and longer pauses, and fails after its last try", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using open = stage();
    const failures: Failure[] = [];
    let tries = 0;
    const fetch = job({
      name: "fetch",
      maxTries: 4,
      retryDelay: Time.minutes(2),
      handle: () => {
        tries += 1;
        throw new Error(`no answer \u0000\uD800 ${tries}`, { cause: new TypeError("gone") });
      },
      failed: (failure) => void failures.push(failure),
    });
    const queue = await open.open(fetch);
    const id = await queue.dispatch(fetch, undefined, { ctx: [["a", "b"]] });
    const delays: number[] = [];
    for (let round = 1; round < 4; round++) {
      const [instance] = await queue.runDue();
      assert.deepEqual([instance?.status, instance?.tries], ["pending", round]);
      assert.match(instance?.last_error ?? "", new RegExp(`^Error: no answer .. ${round}\nCaused by TypeError: gone$`));
      assert.deepEqual(instance?.last_error_at, Time.now());
      const delay = (instance?.next_run_at.getTime() ?? 0) - Time.timestamp();
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
    assert.deepEqual([failed?.status, failed?.tries, failed?.finished_at], ["failed", 4, Time.now()]);
    assert.equal(failures.length, 1);
    assert.match(String(failures[0]?.error), /no answer/);
    assert.deepEqual(failures[0]?.ctx, [["a", "b"]]);
    assert.deepEqual({ ...failures[0]?.instance, updated_at: undefined }, { ...failed, updated_at: undefined });
    await clock.advance(Time.days(30));
    assert.deepEqual(await queue.runDue(), []);
    assert.equal((await queue.find(id))?.tries, 4);
  });

  test("no pause is longer than a day, unless the first one is", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using open = stage();
    const handle = (): never => {
      throw new Error("no");
    };
    const patient = job({ name: "patient", maxTries: 20, retryDelay: Time.hours(20), handle });
    const weekly = job({ name: "weekly", maxTries: 20, retryDelay: Time.weeks(1), handle });
    const queue = await open.open(patient, weekly);
    const delayOf = (instance: Instance | undefined): number =>
      (instance?.next_run_at.getTime() ?? 0) - Time.timestamp();
    await queue.dispatch(patient);
    for (let round = 0; round < 3; round++) {
      const [instance] = await queue.runDue();
      const delay = delayOf(instance);
      if (round > 0) assert.ok(delay >= Time.days(1) && delay <= Time.days(1.25), String(delay));
      await clock.advance(delay);
    }
    await queue.purge();
    await queue.dispatch(weekly);
    const instances = await queue.runDue();
    assert.ok(delayOf(instances.find(({ name }) => name === "weekly")) >= Time.weeks(1));
  });

  test("a result that holds an error is the end, one that holds a value a success", async () => {
    using _ = capturedLog();
    await using open = stage();
    const failures: unknown[] = [];
    const send = job({
      name: "send",
      handle: (isKnown: boolean) => (isKnown ? ok("sent") : error("no such address")),
      failed: ({ error: reason }) => {
        failures.push(reason);
        throw new Error("the hook failed");
      },
    });
    const queue = await open.open(send);
    await queue.dispatchAll(send, [true, false]);
    const ends = await queue.runDue();
    assert.deepEqual(
      ends.map(({ status, tries, last_error }) => [status, tries, last_error]),
      [
        ["succeeded", 1, undefined],
        ["failed", 1, "no such address"],
      ],
    );
    assert.deepEqual(failures, ["no such address"]);
  });

  test("whatever is thrown, the try has failed and the next job begins", async () => {
    using log = capturedLog("error");
    await using open = stage();
    const thrown: Readonly<Record<string, () => unknown>> = {
      nothing: () => undefined,
      "no prototype": () => Object.create(null) as unknown,
      symbol: () => Symbol("s"),
      circle: () => {
        const circle = new Error("x");
        circle.cause = circle;
        return circle;
      },
      "no text": () => Object.assign(new Error("x"), { message: Symbol("m") }),
      "a getter that throws": () =>
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("y");
          },
        }),
      "what throws when it is inspected": () => ({
        [Symbol.for("nodejs.util.inspect.custom")]: () => {
          throw new Error("z");
        },
      }),
      "a proxy that is over": () => {
        const { proxy, revoke } = Proxy.revocable(new Error("x"), {});
        revoke();
        return proxy;
      },
    };
    const failures: string[] = [];
    const poison = job({
      name: "poison",
      maxTries: 1,
      handle: ([kind = "", isResult]: readonly [string?, boolean?]) => {
        const reason = thrown[kind]?.();
        if (isResult) return error(reason);
        throw reason;
      },
      failed: ({ instance }) => void failures.push(instance.last_error ?? ""),
    });
    const queue = await open.open(poison);
    for (const kind of Object.keys(thrown)) {
      for (const isResult of [false, true]) {
        await queue.dispatch(poison, [kind, isResult]);
        const [instance] = await queue.runDue();
        assert.equal(instance?.status, "failed", kind);
      }
    }
    assert.equal(failures.length, 2 * Object.keys(thrown).length);
    assert.equal(failures.at(-1), "Error: Something was thrown that cannot be read");
    assert.equal(log.messages().length, failures.length);
  });

  test("what takes too long is told so, and has failed", async () => {
    using clock = fakeClock();
    using _ = capturedLog();
    await using open = stage();
    const reasons: unknown[] = [];
    const begun = Promise.withResolvers<undefined>();
    const slow = job({
      name: "slow",
      timeout: Time.seconds(3),
      maxTries: 1,
      handle: (_input: undefined, { signal }) =>
        new Promise<undefined>(() => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          begun.resolve(undefined);
        }),
    });
    const queue = await open.open(slow);
    await queue.dispatch(slow);
    const running = queue.runDue();
    await begun.promise;
    await clock.advance(Time.seconds(3));
    assert.equal((reasons[0] as { readonly code?: string }).code, "E_QUEUE_TIMEOUT");
    await clock.advance(Time.seconds(1));
    const [instance] = await running;
    assert.equal(instance?.status, "failed");
    assert.match(instance?.last_error ?? "", /E_QUEUE_TIMEOUT.*3s/);
  });

  test("a job may dispatch others, which are worked as well", async () => {
    await using open = stage();
    const order: number[] = [];
    const countdown = job({
      name: "countdown",
      handle: async (from: number) => {
        order.push(from);
        if (from > 0) await queue.dispatch(countdown, from - 1);
      },
    });
    const queue = await open.open(countdown);
    await queue.dispatch(countdown, 3);
    assert.equal((await queue.runDue()).length, 4);
    assert.deepEqual(order, [3, 2, 1, 0]);
  });
}
