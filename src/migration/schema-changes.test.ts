import { test } from "node:test";
import { onChangedDatabases } from "../../test/database/changed-databases.ts";
import { randomChange } from "../../test/database/schema-changes.ts";
import { verifyChange } from "../../test/database/verify-schema-change.ts";

/** Some random changes; 10 shortens texts. schema-changes.nightly.test.ts has 300, and the long and the nightly test kill processes. */
const seeds = [1, 2, 3, 10];

await onChangedDatabases((target) => {
  test(`${target.name}: migrate diff and migrate keep all rows of a changed table, or refuse`, async () => {
    for (const seed of seeds) {
      await verifyChange(target, randomChange(seed), `${target.name}, seed ${seed}`);
    }
  });
});
