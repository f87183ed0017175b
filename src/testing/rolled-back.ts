import type { Database, Handle } from "../database/index.ts";

/**
 * Runs a test in a transaction that is always rolled back. No other connection sees its changes, so tests can run
 * concurrently on one database. Everything that the callback calls is part of it, including requests through
 * `app.request`. Inner transactions are savepoints. Callbacks of `afterCommit` are not called.
 *
 * @example
 * await rolledBack(database, async () => {
 *   await app.request("/todos", { method: "POST", body });
 *   assert.equal(await Todo.count(), 1);
 * });
 */
export async function rolledBack<T>(database: Database, callback: (handle: Handle) => Promise<T> | T): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  const rollback = new Error("rolled back after a test");
  try {
    await database.transaction(async (handle) => {
      outcome = { value: await callback(handle) };
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  // Only `rollback` is caught, and it is thrown after the callback has returned: the outcome is set.
  return (outcome as { readonly value: T }).value;
}
