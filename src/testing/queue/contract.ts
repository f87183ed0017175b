import { Configuration } from "../../config/index.ts";
import { Lifecycle } from "../../core/index.ts";
import type { TestRunner } from "../database/subject.ts";
import { dispatchCases } from "./dispatches.ts";
import { endCases } from "./ends.ts";
import { leaseCases } from "./leases.ts";
import { recordCases } from "./records.ts";
import { type QueueSetting, type QueueSubject, Stage } from "./stage.ts";
import { workerCases } from "./workers.ts";

/**
 * Registers the tests that every queue must pass. Call it at the top of a test file.
 *
 * @example
 * import * as runner from "node:test";
 *
 * const store = new OwnStore();
 * queueContract("own", { make: (options) => Queue.makeQueue(store, options), services: [] }, runner);
 */
export function queueContract(name: string, subject: QueueSubject, runner: TestRunner): void {
  const { after, before, describe } = runner;
  describe(name, () => {
    const setting: QueueSetting = { runner, stage: () => new Stage(subject) };
    let services: Lifecycle.Running | undefined;
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      services = await Lifecycle.start(subject.services);
    });
    after(async () => {
      await services?.stop();
      Configuration.reset();
    });

    describe("dispatches", () => dispatchCases(setting));
    describe("the ends of jobs", () => endCases(setting));
    describe("records", () => recordCases(setting));
    describe("leases", () => leaseCases(setting));
    describe("workers", () => workerCases(setting));
  });
}
