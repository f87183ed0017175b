import assert from "node:assert/strict";
import { EventEmitter, getEventListeners } from "node:events";
import { test } from "node:test";
import { isError, type LimmatError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { fakeClock, waitFor } from "./index.ts";

const limit = { timeoutMs: 20 };

/** Returns the error of a wait that fails. */
async function failureOf(wait: Promise<unknown>): Promise<LimmatError> {
  const error: unknown = await wait.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isError(error, "E_TEST_WAIT"), String(error));
  return error;
}

/** Returns the number of timers and immediates that keep the process alive. */
const pendingTimers = (): number =>
  process.getActiveResourcesInfo().filter((type) => type === "Timeout" || type === "Immediate").length;

test("checks the condition at once, and returns its value", async (t) => {
  let isChecked = false;
  const wait = waitFor(() => (isChecked = true), t);
  assert.equal(isChecked, true);
  assert.equal(await wait, true);
  assert.equal(await waitFor(async () => 7), 7);
});

test("returns the first truthy value", async (t) => {
  const values = [undefined, null, false, 0, "", Number.NaN, { id: 1 }, { id: 2 }];
  assert.deepEqual(await waitFor(() => values.shift(), t), { id: 1 });
  assert.deepEqual(values, [{ id: 2 }]);
});

test("has the type of the condition without its falsy values", async (t) => {
  const rows: { readonly id: number }[] = [{ id: 1 }];
  const row: { readonly id: number } = await waitFor(() => rows.at(0), t);
  const isFound: true = await waitFor(async () => rows.length === 1, t);
  const text: "a" | "b" = await waitFor((): "" | "a" | "b" => "a", t);
  assert.deepEqual([row.id, isFound, text], [1, true, "a"]);
});

test("checks a condition that throws or rejects again", async (t) => {
  let checks = 0;
  const met = await waitFor(() => {
    checks++;
    if (checks === 1) throw new Error("not yet");
    return checks === 2 ? Promise.reject(new Error("not yet")) : checks;
  }, t);
  assert.equal(met, 3);
});

const emitter = new EventEmitter();
const eventTarget = new EventTarget();

/** Returns the number of listeners of the event "change". */
const listenersOf = (target: EventEmitter | EventTarget): number =>
  target instanceof EventTarget ? getEventListeners(target, "change").length : target.listenerCount("change");

for (const { target, emit } of [
  { target: emitter, emit: () => void emitter.emit("change") },
  { target: eventTarget, emit: () => void eventTarget.dispatchEvent(new Event("change")) },
]) {
  test(`checks at once after an event of an ${target.constructor.name}, and removes its listener`, async (t) => {
    let [checks, isMet, hasTurned] = [0, false, false];
    setImmediate(() => (hasTurned = true));
    const condition = (): boolean => {
      checks++;
      return isMet;
    };
    const wait = waitFor(condition, { signal: t.signal, events: [[target, "change"]] });
    // The first check and all promises end, and no turn of the event loop begins.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    assert.equal(listenersOf(target), 1);
    isMet = true;
    emit();
    await wait;
    assert.deepEqual([checks, hasTurned], [2, false]);
    assert.equal(listenersOf(target), 0);
  });
}

test("fails at its time limit with the last value", async () => {
  const values = [1, 2].map((id) => ({ id, isReady: false }));
  const { message, cause } = await failureOf(waitFor(() => values.length > 2, limit));
  assert.equal(message, "The condition of waitFor was not met within 20 ms. Last value: false");
  assert.equal(cause, undefined);
  assert.match((await failureOf(waitFor(() => undefined, limit))).message, /Last value: undefined$/);
});

test("fails with the last error as cause", async () => {
  const reason = new Error("no row yet");
  const { message, cause } = await failureOf(waitFor(() => Promise.reject(reason), limit));
  assert.equal(message, "The condition of waitFor was not met within 20 ms. Last error: no row yet");
  assert.equal(cause, reason);
});

test("bounds the text of the last error", async () => {
  const wait = waitFor(() => {
    throw new Error("x".repeat(1_000_000));
  }, limit);
  assert.equal(
    (await failureOf(wait)).message.length,
    "The condition of waitFor was not met within 20 ms. Last error: ".length + 1001,
  );
});

test("fails at its time limit although a check does not settle", async () => {
  const checks = ["first"];
  const wait = waitFor(() => (checks.pop() === undefined ? new Promise<never>(() => {}) : ""), limit);
  const { message } = await failureOf(wait);
  assert.equal(
    message,
    "The condition of waitFor was not met within 20 ms. The last check did not settle. Last value: ''",
  );
});

test("fails when its signal aborts, with the last value and the reason", async () => {
  const control = new AbortController();
  let checks = 0;
  const wait = waitFor(() => {
    if (++checks === 3) control.abort(new Error("over"));
    return null;
  }, control);
  const { message, cause } = await failureOf(wait);
  assert.equal(message, "The condition of waitFor was not met before its signal aborted. Last value: null");
  assert.equal((cause as Error).message, "over");
  assert.equal(checks, 3);
  assert.equal(getEventListeners(control.signal, "abort").length, 0);
});

test("fails after one check if its signal has aborted before", async () => {
  const control = new AbortController();
  control.abort();
  await failureOf(waitFor(() => false, control));
  assert.equal(await waitFor(() => "met", control), "met");
});

test("checks once more when it ends", async () => {
  const control = new AbortController();
  const wait = waitFor(() => control.signal.aborted, control);
  setImmediate(() => control.abort());
  assert.equal(await wait, true);
});

test("leaves no timer and no listener", async () => {
  const control = new AbortController();
  const target = new EventEmitter();
  const options = { signal: control.signal, events: [[target, "change"]] as const };
  const before = pendingTimers();
  let checks = 0;
  await waitFor(() => ++checks > 12, options);
  await failureOf(waitFor(() => false, { ...options, ...limit }));
  await failureOf(waitFor(() => new Promise(() => {}), { ...options, ...limit }));
  assert.equal(pendingTimers(), before);
  assert.deepEqual([target.eventNames(), getEventListeners(control.signal, "abort")], [[], []]);
});

test("checks in real time while the timers of node:test are mocked", async (t) => {
  t.mock.timers.enable();
  let checks = 0;
  await waitFor(() => ++checks > 12, t);
  await failureOf(waitFor(() => false, limit));
});

test("leaves a fake clock alone", async (t) => {
  using clock = fakeClock();
  let hasSlept = false;
  void Time.sleep(1000).then(() => (hasSlept = true));
  await waitFor(() => clock.pending === 1, t);
  await failureOf(waitFor(() => hasSlept, limit));
  await clock.advance(1000);
  await waitFor(() => hasSlept, t);
  assert.equal(clock.pending, 0);
});

test("pauses between checks", async (t) => {
  let [checks, isOver] = [0, false];
  setTimeout(() => (isOver = true), 300);
  await waitFor(() => {
    checks++;
    return isOver;
  }, t);
  // 8 turns, pauses of 1, 2, 4, 8 and 16 ms, and of 25 ms from then on. A late timer makes the checks fewer.
  assert.ok(checks < 100, `${checks} checks`);
});
