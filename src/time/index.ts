export { type DeadlineOptions, settlesWithin, withDeadline } from "./deadline.ts";
export { type PeriodicTask, type StartPeriodicTask, startPeriodicTask } from "./periodic.ts";
export type { FakeClock } from "./fake-clock.ts";
export * as Time from "./time.ts";
export * as TimeInternals from "./internal.ts";
