export type {
  DispatchArguments,
  DispatchOptions,
  EndStatus,
  Failure,
  Instance,
  InstanceQuery,
  Job,
  Outcome,
  Priority,
  PurgeOptions,
  Queue,
  Run,
  Status,
} from "./contract.ts";
export { job } from "./job.ts";
export { memory } from "./memory/memory.ts";
export { makeQueue, type QueueOptions } from "./queue.ts";
export { sql, type SqlQueue, type SqlQueueOptions } from "./sql/sql.ts";
export type { Claim, Claimed, Held, LogFields, NewInstance, Settlement, Store, Waiting } from "./store.ts";
export * as Web from "./web.ts";
