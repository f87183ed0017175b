import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { randomChange, verifyChange, verifyKilledChange } from "../../../test/database/schema-changes.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Configuration } from "../../config/index.ts";
import type { Database } from "../database.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import { sqlite } from "../sqlite/index.ts";

/** Number of random changes here. schema-changes.nightly.test.ts has 300, schema-changes.long.test.ts kills at each statement. */
const changes = 4;

function changeCases(name: string, open: () => Database): void {
  before(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));

  test(`${name}: migrate diff and migrate keep all rows of a changed table, or refuse`, async () => {
    for (let seed = 1; seed <= changes; seed++) {
      await verifyChange(open, randomChange(seed), `${name}, seed ${seed}`);
    }
  });

  test(`${name}: a change that is killed ends like one that is not`, () => verifyKilledChange(open, name, 9));
}

const folder = mkdtempSync(join(tmpdir(), "limmat-changes-"));
after(() => rmSync(folder, { recursive: true, force: true }));
changeCases("SQLite", () => sqlite({ url: join(folder, "changes.sqlite") }));
await withServer(postgresqlServer, ({ url }) => changeCases("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => changeCases("MariaDB", () => mariadb({ url })));
