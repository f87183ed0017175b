import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { isError } from "../../core/index.ts";
import { type Time, TimeInternals } from "../../time/index.ts";
import type { Connection } from "../contract.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { withOperationDeadline } from "./deadline.ts";

/** Fake clock of a process that can stand still. */
interface StandstillClock extends Time.FakeClock {
  /** Advances the monotonic time by `ms` before any timer fires. */
  standStill(ms: number): void;
}

function useStandstillClock(t: TestContext): StandstillClock {
  const clock = TimeInternals.fakeClock();
  let stoodStillMs = 0;
  t.after(TimeInternals.useClock({ ...clock, monotonic: () => clock.monotonic() + stoodStillMs }));
  return Object.assign(clock, { standStill: (ms: number) => void (stoodStillMs += ms) });
}

const timeoutMs = 300;

/** Waits for a connection and for an operation, which both end with the reply. Returns the outcomes. */
function waitForReply(reply: Promise<Connection>): Promise<readonly string[]> {
  const pool = new ConnectionPool({ size: 1, maxWaiting: 1, open: () => reply, onTimeout: () => {} });
  const acquired = pool.acquire({ timeoutMs, isOperationTimeout: true, signal: undefined });
  const waits = [Promise.resolve(acquired), withOperationDeadline(reply, { timeoutMs }, () => {})];
  return Promise.all(
    waits.map((wait) =>
      wait.then(
        () => "reply",
        (error: unknown) => (isError(error, "E_DATABASE_TIMEOUT") ? "timeout" : String(error)),
      ),
    ),
  );
}

test("a reply that arrives during a standstill counts, even at the end of a wait", async (t) => {
  const clock = useStandstillClock(t);
  const { promise, resolve } = Promise.withResolvers<Connection>();
  const outcomes = waitForReply(promise);
  clock.standStill(5000);
  await clock.advance(timeoutMs);
  resolve({ state: "idle", setUse: () => {} } as unknown as Connection);
  assert.deepEqual(await outcomes, ["reply", "reply"]);
  assert.equal(clock.pending, 0);
});

test("without a reply, a wait ends after a standstill, and in a process that always stands still", async (t) => {
  const clock = useStandstillClock(t);
  let outcomes = waitForReply(Promise.withResolvers<Connection>().promise);
  clock.standStill(5000);
  await clock.advance(timeoutMs);
  await clock.advance(timeoutMs - 1);
  assert.equal(clock.pending, 2);
  await clock.advance(1);
  assert.deepEqual(await outcomes, ["timeout", "timeout"]);

  outcomes = waitForReply(Promise.withResolvers<Connection>().promise);
  for (let standstill = 0; standstill < 6; standstill++) {
    clock.standStill(5000);
    await clock.advance(timeoutMs);
  }
  assert.deepEqual(await outcomes, ["timeout", "timeout"]);
});
