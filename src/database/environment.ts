import { Configuration } from "../config/index.ts";
import { errors } from "./errors.ts";
import { connectionOf, type Handle } from "./handle.ts";
import * as Row from "./row/row.ts";
import { hasStateTable, stateTable } from "./state-table.ts";
import { sql } from "./statement/sql.ts";

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
