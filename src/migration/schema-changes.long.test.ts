import assert from "node:assert/strict";
import { test } from "node:test";
import { onChangedDatabases } from "../../test/database/changed-databases.ts";
import { randomChange } from "../../test/database/schema-changes.ts";
import { verifyChange } from "../../test/database/verify-schema-change.ts";

/** Change of four rows: of types, indexes and references. It keeps them. */
const seed = 12;
/** A run is killed at one of this many statements. schema-changes.nightly.test.ts has other changes and all statements. */
const every = 4;

await onChangedDatabases((target, startMigrator) => {
  test(`${target.name}: a change whose process is killed ends like one that is not`, async () => {
    const migrator = startMigrator();
    const { outcome, statements } = await verifyChange(target, randomChange(seed), `${target.name}, seed ${seed}`);
    assert.equal(outcome, "kept");
    assert.ok(statements > 10, `only ${statements} statements`);
    for (let statement = 1; statement <= statements; statement += every) {
      const label = `${target.name}, seed ${seed}, killed at ${statement}`;
      const kill = { migrator, statement, isSent: false };
      assert.equal((await verifyChange(target, randomChange(seed), label, kill)).outcome, "kept", label);
    }
  });
});
