import { Configuration, type ConfigurationField } from "../config/index.ts";
import { errors } from "./errors.ts";
import { connectionOf, type Handle } from "./handle.ts";
import * as Row from "./row/row.ts";
import { identifierFragment, rawFragment, sql } from "./statement/sql.ts";
import type { Fragment } from "./statement/statement.ts";

/** Configuration of migrations. */
export const migrationSettings: Configuration.Group<{
  readonly table: ConfigurationField<string>;
}> = Configuration.group({
  table: Configuration.string("MIGRATION_STATE_TABLE", {
    description: "table that records the applied migrations",
    default: "migration_state",
    validate: (name) => (/^[A-Za-z_]\w{0,62}$/.test(name) ? undefined : "must be letters, digits and underscores"),
  }),
});

/** Returns the name of the table that records the applied migrations. */
export function stateTableName(): string {
  return migrationSettings.read().table;
}

/** Returns the name of the state table as SQL. */
export const stateTable = (): Fragment => identifierFragment(stateTableName());

/** Returns the names of the application's tables and of the state table, sorted. */
export function listTables(handle: Handle): Promise<readonly string[]> {
  return handle.collect(sql.value(Row.text)`${rawFragment(connectionOf(handle).pool.driver.dialect.listTables)}`);
}

/** Returns true if the database has a state table. */
export async function hasStateTable(handle: Handle): Promise<boolean> {
  return (await listTables(handle)).includes(stateTableName());
}

/** Namespace of the row of the state table that marks the environment. Its number is 0: steps are numbered from 1. */
export const markNamespace = "environment";

/** Returns the environment that the database is marked with, or `undefined` if it is not marked. */
export async function findEnvironment(handle: Handle): Promise<string | undefined> {
  if (!(await hasStateTable(handle))) return undefined;
  return handle.findOpt(
    sql.value(Row.text)`select name from ${stateTable()} where namespace = ${markNamespace} and number = 0`,
  );
}

/**
 * Verifies that a database belongs to the environment of this process, before its data is deleted.
 *
 * @throws E_DATABASE_ENVIRONMENT if it belongs to another one, or to none because it was never migrated.
 */
export async function assertEnvironment(handle: Handle): Promise<void> {
  const marked = await findEnvironment(handle);
  const environment = Configuration.environment();
  if (marked === environment) return;
  throw errors.E_DATABASE_ENVIRONMENT(connectionOf(handle).pool.driver.location, marked, environment);
}
