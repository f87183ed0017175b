import { configuration } from "limmat/testing";
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
    let environment: Disposable | undefined;
    before(async () => {
      environment = configuration({ FRAMEWORK_ENV: "test" });
      for (const service of subject.services) await service.start?.({ services: subject.services });
    });
    after(async () => {
      for (const service of subject.services.toReversed()) await service.stop?.();
      environment?.[Symbol.dispose]();
    });

    describe("dispatches", () => dispatchCases(context));
    describe("outcomes", () => outcomeCases(context));
    describe("records", () => recordCases(context));
    describe("leases", () => leaseCases(context));
    describe("workers", () => workerCases(context));
  });
}
