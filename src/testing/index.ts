export { type CapturedOutput, type CommandResult, host, output, run, type TestHost } from "./command.ts";
export { capturedLog, type CapturedLog, configuration, fakeClock, seededRandom } from "./replace.ts";
export { databaseContract } from "./database/contract.ts";
export type { DatabaseSubject, TestRunner } from "./database/subject.ts";
export { dispatched } from "./dispatched.ts";
export { queueContract } from "./queue/contract.ts";
export type { QueueSubject } from "./queue/stage.ts";
export { rolledBack } from "./rolled-back.ts";
export { type Page, visitor, type Visitor } from "./visitor.ts";
