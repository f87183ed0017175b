import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import { declarationsOf, developmentPortVariable } from "../core/index.ts";
import { rejectsWithCode } from "../testing/assert-error-code.ts";
import { captureOutput } from "../testing/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
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

    await assert.rejects(run([steps("number")]), { message: /differences 1 "a" was edited.*new step.*migrate fresh/ });
    process.env[developmentPortVariable] = "1";
    const edited = steps("number");
    delete process.env[developmentPortVariable];
    await assert.rejects(
      run([edited]),
      (error) => declarationsOf(error)[0]?.stack?.includes(import.meta.filename) === true,
    );
    await rejectsWithCode("E_MIGRATION_CHANGED", () => run([steps("number")], "--json"));

    // A namespace that this application does not use belongs to another one.
    assert.equal((await run([])).noted, "");
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
