import { Configuration } from "../config/index.ts";
import { isError } from "../core/index.ts";
import { assertEnvironment, findEnvironment, type Handle } from "../database/index.ts";
import * as State from "./state.ts";

/**
 * Marks a database with the environment of this process when it is migrated for the first time. Called with the migration
 * lock, after the state table was created.
 *
 * Development and production may migrate a database of each other, such as a copy of production data.
 *
 * @throws E_DATABASE_ENVIRONMENT in tests if it belongs to another environment, or has tables and no mark; elsewhere if it
 * belongs to tests.
 */
export async function claimEnvironment(handle: Handle): Promise<void> {
  const environment = Configuration.environment();
  const marked = await findEnvironment(handle);
  if (marked === undefined && (environment !== "test" || !(await State.hasOtherTables(handle)))) {
    try {
      await State.insertEnvironment(handle, environment);
      return;
    } catch (error) {
      // On SQLite, another process may have inserted the mark.
      if (!isError(error, "E_DATABASE_UNIQUE")) throw error;
    }
  }
  if (environment === "test" || marked === "test") await assertEnvironment(handle);
}
