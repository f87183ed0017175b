import type { Database, Handle } from "../database/index.ts";

/**
 * Runs a test in a transaction that is rolled back in the end, whatever happens: what it writes is seen by nobody else,
 * so that tests can run beside each other on one database. All that the work calls is part of it, requests through
 * `app.request` included. Inside, transactions are savepoints, and callbacks after a commit are not called.
 *
 * @example
 * await rolledBack(database, async () => {
 *   await app.request("/todos", { method: "POST", body });
 *   assert.equal(await Todo.count(), 1);
 * });
 */
export async function rolledBack<T>(database: Database, work: (handle: Handle) => Promise<T> | T): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  const undo = new Error("rolled back after a test");
  try {
    await database.transaction(async (handle) => {
      outcome = { value: await work(handle) };
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  // The transaction only ends without an error of the work when the work has ended.
  return (outcome as { readonly value: T }).value;
}
