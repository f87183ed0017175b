import { Configuration } from "../config/index.ts";
import { assertEnvironment, connectionOf, type Database, type Handle, Row, sql } from "../database/index.ts";
import { dialectOf } from "./apply.ts";
import { errors } from "./errors.ts";
import { withMigrationLock } from "./lock.ts";
import { type MigrationRunOptions, migrateWithLock } from "./runner.ts";
import * as State from "./state.ts";
import type { Migration } from "./step.ts";

/**
 * Drops all objects of the database, and runs all steps. `name` must be the name of the database. It may be absent for
 * SQLite, and is ignored for a database in memory. Throws E_MIGRATION_FRESH outside of development and test,
 * E_DATABASE_ENVIRONMENT if the database belongs to another environment or to none, E_MIGRATION_FRESH_NAME; the errors of
 * `migrateUp`.
 */
export function migrateFresh(
  database: Database,
  migrations: readonly Migration[],
  name: string | undefined,
  options: MigrationRunOptions = {},
): Promise<readonly string[]> {
  const environment = Configuration.environment();
  if (environment === "production") throw errors.E_MIGRATION_FRESH(environment);
  return withMigrationLock(database, options, async (handle) => {
    // A database without tables has nothing to lose and no mark yet.
    if (await State.hasOtherTables(handle)) {
      await assertEnvironment(handle);
      const actualName = databaseName(handle);
      // The file of SQLite belongs to this project. A server has databases of others, which a wrong URL would reach.
      const isNameOptional = dialectOf(handle).name === "sqlite" && name === undefined;
      if (actualName !== undefined && name !== actualName && !isNameOptional)
        throw errors.E_MIGRATION_FRESH_NAME(actualName, name);
    }
    await dropAll(handle);
    await State.createStateTable(handle);
    return migrateWithLock(handle, migrations, options);
  });
}

/** Returns the name of the database or of its file. `undefined` for a database in memory. */
function databaseName(handle: Handle): string | undefined {
  const { location, dialect } = connectionOf(handle).pool.driver;
  if (dialect.name === "sqlite") return location.includes("in memory") ? undefined : location.split(/[/\\]/).at(-1);
  return dialect.name === "postgresql" ? location.split("/").at(-1) : (/"(.*)"/.exec(location)?.[1] ?? location);
}

// Objects of the database: their kind in a `drop` statement, and their quoted name with what follows.
const objects = sql.row(Row.record({ kind: Row.text, name: Row.text }));

const listObjects = {
  // Virtual tables come first: they drop the tables that they store their data in.
  sqlite: objects`select case when sql like 'create virtual%' then 'table if exists' else type || ' if exists' end as kind,
      '"' || replace(name, '"', '""') || '"' as name
    from sqlite_schema where type in ('table', 'view') and name not like 'sqlite!_%' escape '!'
    order by case when sql like 'create virtual%' then 0 when type = 'view' then 1 else 2 end, name`,
  // The objects of extensions stay.
  postgresql: objects`
    with own as (select current_schema()::regnamespace as schema)
    select kind, name from (
      select 1 as rank, case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
        when 'f' then 'foreign table' else 'table' end || ' if exists' as kind, pg_class.oid, oid::regclass::text as name
      from pg_class, own where relnamespace = schema and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      union all
      select 2, case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end || ' if exists', oid,
        oid::regprocedure::text from pg_proc, own where pronamespace = schema
      union all
      select 3, case typtype when 'd' then 'domain' else 'type' end || ' if exists', oid, oid::regtype::text
      from pg_type, own where typnamespace = schema and typtype in ('e', 'd', 'r')
      union all
      select 4, 'type if exists', pg_type.oid, pg_type.oid::regtype::text
      from pg_type join pg_class on pg_class.oid = typrelid, own where typnamespace = schema and relkind = 'c'
    ) found
    where not exists (select from pg_depend where objid = found.oid and deptype = 'e')
    order by rank, name`,
  mariadb: objects`
    select case table_type when 'VIEW' then 'view if exists' when 'SEQUENCE' then 'sequence if exists'
        else 'table if exists' end as kind, concat('\`', replace(table_name, '\`', '\`\`'), '\`') as name
    from information_schema.tables where table_schema = database()
    union all
    select concat(lower(routine_type), ' if exists'), concat('\`', replace(routine_name, '\`', '\`\`'), '\`')
    from information_schema.routines where routine_schema = database() and routine_type in ('FUNCTION', 'PROCEDURE')
    union all
    select 'event if exists', concat('\`', replace(event_name, '\`', '\`\`'), '\`')
    from information_schema.events where event_schema = database()`,
};

async function dropAll(handle: Handle): Promise<void> {
  const { name: dialectName } = dialectOf(handle);
  const { connection } = connectionOf(handle);
  const found = await handle.collect(listObjects[dialectName]);
  const drops = found.map(({ kind, name }) => `drop ${kind} ${name}${dialectName === "postgresql" ? " cascade" : ""}`);
  if (drops.length === 0) return;
  if (dialectName === "postgresql") {
    await handle.transaction((inner) => connectionOf(inner).connection.script(drops.join("; ")));
    return;
  }
  const [off, on] =
    dialectName === "sqlite"
      ? ["pragma foreign_keys = off", "pragma foreign_keys = on"]
      : ["set foreign_key_checks = 0", "set foreign_key_checks = 1"];
  await connection.script(off);
  try {
    // The table of a virtual table is gone when its turn comes.
    await handle.transaction((inner) => connectionOf(inner).connection.script(drops.join("; ")));
  } finally {
    if (connection.state !== "closed") await connection.script(on);
  }
}
