export type {
  CronDefinition,
  HistoryOptions,
  IntervalDefinition,
  Outcome,
  Run,
  Schedule,
  ScheduleCall,
  ScheduleDefinition,
  ScheduleFailure,
  ScheduleFunction,
  ScheduleOptions,
  ScheduleService,
  Status,
} from "./contract.ts";
export { make } from "./make.ts";
export { service } from "./service.ts";
