// Statements that share connections of a pool. They do while they are quick, which depends on the speed of the machine: tests
// stop the time by which the pool measures them.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Database } from "limmat/database";

/** Time by which pools measure how long statements take. */
export interface StatementTime {
  readonly stop: () => void;
  readonly resume: () => void;
}

/** Stops the time by which pools measure how long statements take, until the end of the test: all of them are quick. */
export function stopStatementTime(t: TestContext): StatementTime {
  const realTime = performance.now.bind(performance);
  let offsetMs = 0;
  let stoppedAtMs: number | undefined = realTime();
  const now = (): number => stoppedAtMs ?? realTime() - offsetMs;
  t.mock.method(performance, "now", now);
  return {
    stop: () => (stoppedAtMs = now()),
    resume: () => {
      offsetMs = realTime() - now();
      stoppedAtMs = undefined;
    },
  };
}

/** Number of quick runs after which any statement is quick. */
const maxRounds = 20;

/**
 * Runs a statement until it shares connections: more of it than the pool has connections then run at once. The time of
 * statements must be stopped.
 */
export async function share(database: Database, run: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const runs = Array.from({ length: 2 * database.poolStats().size }, run);
    const { waiting } = database.poolStats();
    await Promise.all(runs);
    if (waiting === 0) return;
  }
  assert.fail("The statement has a connection of its own.");
}
