import assert from "node:assert/strict";
import { test } from "node:test";
import { dueTimeOf, positionsAt } from "./table.ts";

test("the positions of one process rise, within a millisecond and from one to the next", () => {
  const startMs = Date.UTC(2030, 0);
  let last = 0n;
  // More jobs than a millisecond has sequence numbers, unless it starts again.
  for (let call = 0; call < 4000; call++) {
    const dueAt = new Date(startMs + Math.floor(call / 10));
    const [first = 0n, second = 0n] = [positionsAt(dueAt, 999), positionsAt(dueAt, 1)].map(([position]) => position);
    assert.ok(first > last && second > first, `call ${call}: ${last}, ${first}, ${second}`);
    assert.deepEqual(dueTimeOf(second), dueAt);
    last = second;
  }
});
