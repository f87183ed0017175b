import * as node from "node:test";
import { Cleaner, Configuration } from "limmat";
import { forbidLeftoverRows, forbidOutboundRequests, forbidUnaskedPolicies, rolledBack } from "limmat/testing";
import { app } from "../run/run.ts";
import { database, migration } from "../service/service.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

let isUsed = false;

/**
 * Migrates the database and starts all services except the HTTP server, once for all test files. At the end, rows that tests
 * have left in the database are an error.
 */
export function useServices(): void {
  if (isUsed) return;
  isUsed = true;
  let assertNoLeftoverRows = (): Promise<void> => Promise.resolve();
  node.before(async () => {
    await app.start({ server: false });
    await migration.runAll();
    assertNoLeftoverRows = await forbidLeftoverRows(database);
  });
  node.after(() => assertNoLeftoverRows().finally(() => app.stop()));
}

/**
 * Defines a test. It begins with empty caches, inboxes and storages in memory, and its database changes are rolled back, so that
 * tests do not affect each other. A request to another host fails the test, and so does a request that asks no policy.
 */
export function test(name: string, body: () => Promise<void> | void): void {
  void node.test(name, async () => {
    using checks = new DisposableStack();
    checks.use(forbidOutboundRequests());
    checks.use(forbidUnaskedPolicies());
    await Cleaner.cleanAll({ onlyMemory: true });
    await rolledBack(database, body);
  });
}
