import { Migration } from "../../database/index.ts";
import { failureCases } from "./failures.ts";
import { migrationCases } from "./migrations.ts";
import { operationCases } from "./operations.ts";
import { poolCases } from "./pools.ts";
import { cursorCases } from "./cursors.ts";
import { searchCases } from "./search.ts";
import { sqlCases } from "./sql.ts";
import { type DatabaseSubject, migrations, type Setting, type TestRunner } from "./subject.ts";
import { transactionCases } from "./transactions.ts";
import { valueCases } from "./values.ts";

/**
 * Registers the tests that every database service must pass: one JavaScript value per SQL type, one error per failure,
 * and the same rules for operations, transactions, pools, search and migrations. Call it at the top of a test file.
 *
 * @example
 * import * as runner from "node:test";
 *
 * databaseContract("sqlite", { make: (options) => sqlite({ url, ...options }), url: () => url }, runner);
 */
export function databaseContract(name: string, subject: DatabaseSubject, runner: TestRunner): void {
  const { after, before, describe } = runner;
  describe(name, () => {
    const database = subject.make();
    const migration = Migration.service({ database, migrations: [migrations], onPending: "run" });
    const setting: Setting = { runner, subject, database };
    before(async () => {
      await database.start({ services: [database] });
      await migration.start({ services: [database, migration] });
    });
    after(() => database.stop());

    describe("values", () => valueCases(setting));
    describe("operations", () => operationCases(setting));
    describe("sql", () => sqlCases(setting));
    describe("failures", () => failureCases(setting));
    describe("transactions", () => transactionCases(setting));
    describe("pools", () => poolCases(setting));
    describe("search", () => searchCases(setting));
    describe("cursors", () => cursorCases(setting));
    describe("migrations", () => migrationCases(setting));
  });
}
