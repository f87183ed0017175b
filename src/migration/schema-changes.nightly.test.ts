import assert from "node:assert/strict";
import { test } from "node:test";
import { onChangedDatabases } from "../../test/database/changed-databases.ts";
import { randomChange } from "../../test/database/schema-changes.ts";
import { verifyChange } from "../../test/database/verify-schema-change.ts";
import { Random } from "../random/index.ts";

const changes = 300;
/** Seed of the first change. A failure names its seed. */
const first = Random.int(1000, 1_000_000_000);
/** Number of the first changes whose processes are killed at each statement. Those of the others are killed at one. */
const killedEverywhere = 4;
/** Maximum duration of the run after a kill, in milliseconds: the lock of migrations ends with the process that holds it. */
const maxNextRunMs = 10_000;

/** Returns the numbers of the statements at which the process of a change is killed. */
function killsOf(seed: number, statements: number): readonly number[] {
  const all = Array.from({ length: statements }, (_, index) => index + 1);
  return seed < first + killedEverywhere ? all : all.slice(seed % statements).slice(0, 1);
}

await onChangedDatabases((target, startMigrator) => {
  test(`${target.name}: ${changes} random changes of a table keep all rows or are refused, also after a kill`, async (t) => {
    const migrator = startMigrator();
    const counts: Record<string, number> = { kills: 0, slowestNextRunMs: 0 };
    const add = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
    for (let seed = first; seed < first + changes; seed++) {
      const change = randomChange(seed);
      const { outcome, statements } = await verifyChange(target, change, `${target.name}, seed ${seed}`);
      add(outcome);
      for (const statement of killsOf(seed, statements)) {
        // Every second process has sent the statement.
        const isSent = (seed + statement) % 2 === 0;
        const label = `${target.name}, seed ${seed}, killed ${isSent ? "after" : "before"} statement ${statement}`;
        const killed = await verifyChange(target, change, label, { migrator, statement, isSent });
        assert.equal(killed.outcome, outcome, label);
        assert.ok(killed.durationMs < maxNextRunMs, `${label}: the next run took ${killed.durationMs} ms`);
        add("kills");
        counts["slowestNextRunMs"] = Math.max(counts["slowestNextRunMs"] ?? 0, Math.round(killed.durationMs));
      }
    }
    t.diagnostic(JSON.stringify(counts));
    // Guards must not refuse everything, and errors of the database are not refusals by limmat.
    assert.ok((counts["kept"] ?? 0) > changes / 4, JSON.stringify(counts));
    assert.ok((counts["failed"] ?? 0) < changes / 50, JSON.stringify(counts));
  });
});
