export type {
  CronDefinition,
  IntervalDefinition,
  RunOutcome,
  RunRecord,
  Schedule,
  ScheduleCall,
  ScheduleDefinition,
  ScheduleFailure,
  ScheduleFunction,
  ScheduleOptions,
  ScheduleService,
  ScheduleStatus,
} from "./contract.ts";
export { make } from "./schedule.ts";
export { service } from "./service.ts";
