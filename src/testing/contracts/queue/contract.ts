import { Configuration, ConfigurationInternals } from "../../../config/index.ts";
import { Lifecycle } from "../../../core/index.ts";
import type { TestRunner } from "../database/subject.ts";
import { dispatchCases } from "./dispatches.ts";
import { outcomeCases } from "./outcomes.ts";
import { leaseCases } from "./leases.ts";
import { recordCases } from "./records.ts";
import { type QueueContractContext, type QueueSubject, TestQueues } from "./test-queues.ts";
import { workerCases } from "./workers.ts";

/**
 * Registers the contract tests of queues. Every queue must pass them. Call it at the top level of a test file.
 *
 * @example
 * import * as runner from "node:test";
 *
 * const store = customStore();
 * queueContract("custom", { make: (options) => makeQueue(store, options), services: [] }, runner);
 */
export function queueContract(name: string, subject: QueueSubject, runner: TestRunner): void {
  const { after, before, describe } = runner;
  describe(name, () => {
    const context: QueueContractContext = { runner, openQueues: () => new TestQueues(subject) };
    let runningServices: Lifecycle.RunningServices | undefined;
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      runningServices = await Lifecycle.start(subject.services);
    });
    after(async () => {
      await runningServices?.stop();
      ConfigurationInternals.reset();
    });

    describe("dispatches", () => dispatchCases(context));
    describe("outcomes", () => outcomeCases(context));
    describe("records", () => recordCases(context));
    describe("leases", () => leaseCases(context));
    describe("workers", () => workerCases(context));
  });
}
