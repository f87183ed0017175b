export { after, type Clock, monotonic, now, sleep, type TimerOptions, timestamp, useClock } from "./clock.ts";
export { days, formatDuration, hours, minutes, parseDuration, seconds, weeks } from "./duration.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
