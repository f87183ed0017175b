/** Time zone. A local time is its wall-clock time in milliseconds, counted as if it were UTC. */
export interface TimeZone {
  /** Returns the local time of a timestamp. */
  readonly toLocalTime: (timestamp: number) => number;
  /**
   * Returns the timestamp of a local time: the first one if the local time occurs twice, the end of the gap if it is
   * skipped. Never decreases as its argument grows.
   */
  readonly toTimestamp: (localTime: number) => number;
}

// Exceeds every offset from UTC and every change of an offset.
const maxOffsetMs = 36 * 3_600_000;

/** Time zone whose local times are timestamps. */
export const utc: TimeZone = { toLocalTime: (timestamp) => timestamp, toTimestamp: (localTime) => localTime };

/** Returns the time zone of an IANA name, such as `Europe/Zurich`; `undefined` for an unknown one. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name === "UTC") return utc;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }

  const toLocalTime = (timestamp: number): number => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(timestamp)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (timestamp % 1000);
  };

  const toTimestamp = (localTime: number): number => {
    const offsets = [localTime - maxOffsetMs, localTime + maxOffsetMs].map((time) => toLocalTime(time) - time);
    const candidates = offsets.map((offset) => localTime - offset);
    const first = Math.min(...candidates.filter((timestamp) => toLocalTime(timestamp) === localTime));
    return first === Infinity ? endOfGap(localTime, Math.min(...candidates), Math.max(...candidates)) : first;
  };

  return { toLocalTime, toTimestamp };

  /** Returns the first timestamp after `before`, and at most `after`, whose local time exceeds the skipped one. */
  function endOfGap(localTime: number, before: number, after: number): number {
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (toLocalTime(middle) > localTime) high = middle;
      else low = middle;
    }
    return high;
  }
}
