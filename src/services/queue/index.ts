export type {
  DispatchArguments,
  DispatchOptions,
  FinalStatus,
  HandlerResult,
  JobCall,
  JobDefinition,
  JobFailure,
  JobQuery,
  JobRecord,
  JobStatus,
  Priority,
  PurgeOptions,
  Queue,
} from "./contract.ts";
export { job } from "./job.ts";
export type { QueueOptions } from "./service.ts";
export { memory } from "./store/memory/memory.ts";
export { sqlQueue as sql } from "./store/sql/sql.ts";
export * as Web from "./web/dashboard.ts";
