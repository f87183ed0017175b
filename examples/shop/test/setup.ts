import * as node from "node:test";
import { Configuration } from "limmat";
import { forbidLeftoverRows, forbidOutboundRequests, rolledBack } from "limmat/testing";
import { app } from "../run/run.ts";
import { database, migration } from "../service/service.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

/**
 * Migrates the database and starts all services except the HTTP server, for the tests of one file. At its end, rows that
 * tests have left in the database are an error.
 */
export function useServices(): void {
  let assertNoLeftoverRows = (): Promise<void> => Promise.resolve();
  node.before(async () => {
    await app.start({ server: false });
    await migration.runAll();
    assertNoLeftoverRows = await forbidLeftoverRows(database);
  });
  node.after(() => assertNoLeftoverRows().finally(() => app.stop()));
}

/**
 * Defines a test. Rolls back its database changes at the end, so that tests do not affect each other. A request to another
 * host fails the test.
 */
export function test(name: string, body: () => Promise<void> | void): void {
  void node.test(name, async () => {
    using _ = forbidOutboundRequests();
    await rolledBack(database, body);
  });
}
