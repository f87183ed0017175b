// Statements that share connections of a pool. Only quick statements do. Tests stop the clock by which the pool measures them, so
// that they are quick on every machine.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Database } from "limmat/database";

/** Clock by which pools measure how long statements take. */
export interface StatementTime {
  readonly stop: () => void;
  readonly resume: () => void;
}

/** Stops the clock by which pools measure statements, until the end of the test: all statements are quick. */
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
 * Runs a statement until it shares connections: until more runs than the pool has connections need not wait. The clock of
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
