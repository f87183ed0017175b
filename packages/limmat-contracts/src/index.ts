export { databaseContract } from "./database/contract.ts";
export type { DatabaseSubject, TestRunner } from "./database/subject.ts";
export { queueContract } from "./queue/contract.ts";
export type { QueueSubject } from "./queue/test-queues.ts";
