export type { Clock, TimerOptions } from "./clock.ts";
export { after, monotonic, now, sleep, timestamp, useClock } from "./current.ts";
export { days, formatDuration, hours, minutes, parseDuration, seconds, weeks } from "./duration.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
