// Functions for other modules and for tests of the framework. They are not part of the public namespace.
export { after, systemClock, timestamp, useClock } from "./clock.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { fakeClock } from "./fake-clock.ts";
