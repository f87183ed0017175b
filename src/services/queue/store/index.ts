export { makeQueue } from "../service.ts";
export type {
  ClaimedJob,
  ClaimRequest,
  JobOutcome,
  Lease,
  LogFields,
  NewJob,
  QueueStore,
  ReclaimedJobs,
  WaitingJobs,
} from "./contract.ts";
