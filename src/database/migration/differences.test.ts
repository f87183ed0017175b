import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Configuration } from "../../config/index.ts";
import { rejectsWithCode } from "../../testing/contracts/assert-error-code.ts";
import { captureOutput } from "../../testing/index.ts";
import type { Database } from "../database.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import { sqlite } from "../sqlite/index.ts";
import * as Migration from "./migration.ts";

const steps = (column: string, down: string | undefined = "drop table differing"): Migration.Migration =>
  Migration.make("differences", [
    Migration.step("a", `create table differing (${column} integer)`, down === "" ? {} : { down }),
  ]);

function differenceCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());

  const run = async (migrations: readonly Migration.Migration[], ...args: readonly string[]) => {
    const migration = Migration.service({ database, migrations });
    const output = captureOutput();
    const { signal } = new AbortController();
    await migration.commands[0]?.run(args, { services: [database, migration], output, signal });
    return { printed: output.stdoutLines.join("\n"), noted: output.stderrLines.join("\n") };
  };

  test(`${name}: migrate names changed and unknown steps, and a restored step can be reverted`, async () => {
    assert.doesNotMatch((await run([steps("id")])).noted, /new step/);
    assert.equal((await run([steps("id")])).noted, "");

    const changed = await run([steps("number")]);
    assert.equal(changed.printed, "Nothing to migrate.");
    assert.match(changed.noted, /^Changed after they were applied.*: differences 1 "a"$/m);
    assert.match(changed.noted, /new step.*migrate fresh/);
    assert.doesNotMatch(changed.noted, /not in this application/);
    assert.equal((await run([steps("number")], "--json")).noted, "");

    assert.match((await run([])).noted, /^In the database, but not in this application: differences 1 "a"$/m);
    await rejectsWithCode("E_MIGRATION_NO_DOWN", () => run([], "down"));
    await assert.rejects(run([], "down"), { message: /does not define it\. Restore its file/ });
    await assert.rejects(run([steps("id", "")], "down"), { message: /has no "down" SQL/ });
    assert.equal((await run([steps("id")], "down")).printed, "Reverted 1 step.");
    assert.equal((await run([], "down")).printed, "Nothing to revert.");
  });
}

differenceCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => differenceCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => differenceCases("MariaDB", mariadb({ url })));
