export { type Clock, monotonic, now, sleep, type TimerOptions } from "./clock.ts";
export { days, hours, minutes, seconds } from "./duration.ts";
export type { FakeClock } from "./fake-clock.ts";
