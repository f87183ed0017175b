import { Migration } from "limmat/database";
import { dataStepCases } from "./data-steps.ts";
import { failureCases } from "./failures.ts";
import { migrationCases } from "./migrations.ts";
import { operationCases } from "./operations.ts";
import { poolCases } from "./pools.ts";
import { cursorCases } from "./cursors.ts";
import { searchCases } from "./search.ts";
import { sqlCases } from "./sql.ts";
import { type DatabaseSubject, contractMigrations, type DatabaseContractContext, type TestRunner } from "./subject.ts";
import { transactionCases } from "./transactions.ts";
import { valueCases } from "./values.ts";

/**
 * Registers the contract tests of databases. Every database service must pass them: one JavaScript value per SQL type, one
 * error per failure, and the same behaviour of operations, transactions, pools, search and migrations. Call it at the top
 * level of a test file.
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
    const migration = Migration.service({ database, migrations: [contractMigrations], onPending: "run" });
    const context: DatabaseContractContext = { runner, subject, database };
    before(async () => {
      await database.start({ services: [database] });
      await migration.start({ services: [database, migration] });
    });
    after(() => database.stop());

    describe("values", () => valueCases(context));
    describe("operations", () => operationCases(context));
    describe("sql", () => sqlCases(context));
    describe("failures", () => failureCases(context));
    describe("transactions", () => transactionCases(context));
    describe("pools", () => poolCases(context));
    describe("search", () => searchCases(context));
    describe("cursors", () => cursorCases(context));
    describe("migrations", () => migrationCases(context));
    describe("data steps", () => dataStepCases(context));
  });
}
