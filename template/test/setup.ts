import * as node from "node:test";
import { Configuration } from "limmat";
import { rolledBack } from "limmat/testing";
import { app } from "../run/run.ts";
import { database, migration } from "../service/service.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

/** Starts all services but the server, with the tables up to date, for the tests of one file. */
export function useServices(): void {
  node.before(async () => {
    await app.start({ server: false });
    await migration.runAll();
  });
  node.after(() => app.stop());
}

/** A test whose changes to the database are rolled back at its end, so that no test sees what another did. */
export function test(name: string, body: () => Promise<void> | void): void {
  void node.test(name, () => rolledBack(database, body));
}
