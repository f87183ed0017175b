// Databases on which changes of tables are verified.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { Configuration } from "../../src/config/index.ts";
import { mariadb } from "../../src/database/mariadb/index.ts";
import { postgresql } from "../../src/database/postgresql/index.ts";
import { sqlite } from "../../src/database/sqlite/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { Migrator } from "./migrator.ts";
import type { ChangedDatabase } from "./verify-schema-change.ts";

/** Starts the processes whose runs are killed. They end after the tests. */
type StartMigrator = () => Migrator;

/** Registers tests on each database. */
export async function onChangedDatabases(
  register: (target: ChangedDatabase, startMigrator: StartMigrator) => void,
): Promise<void> {
  before(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));
  const folder = mkdtempSync(join(tmpdir(), "limmat-changes-"));
  const migrators: Migrator[] = [];
  after(async () => {
    for (const migrator of migrators) await migrator.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const startMigrator = (backend: string, url: string) => (): Migrator => {
    const migrator = new Migrator(backend, url, join(folder, "cache"));
    migrators.push(migrator);
    return migrator;
  };

  const path = join(folder, "changes.sqlite");
  const copy = join(folder, "killed.sqlite");
  const openKilled = (): ReturnType<typeof sqlite> => {
    for (const suffix of ["", "-wal", "-shm", "-lock"]) rmSync(copy + suffix, { force: true });
    for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    return sqlite({ url: copy });
  };
  register({ name: "SQLite", open: () => sqlite({ url: path }), openKilled }, startMigrator("sqlite", path));
  await withServer(postgresqlServer, ({ url }) =>
    register({ name: "PostgreSQL", open: () => postgresql({ url }) }, startMigrator("postgresql", url)),
  );
  await withServer(mariadbServer, ({ url }) =>
    register({ name: "MariaDB", open: () => mariadb({ url }) }, startMigrator("mariadb", url)),
  );
}
