/**
 * A time zone. Its wall time is what a clock on the wall shows, counted in milliseconds as if the wall stood in UTC.
 */
export interface TimeZone {
  /** What the wall shows at a point in time. */
  readonly wallAt: (time: number) => number;
  /**
   * When the wall shows a time: the first time if it does so twice; if it never does, because clocks go forward over it,
   * the end of the gap. Never falls as its argument grows.
   */
  readonly timeOf: (wall: number) => number;
}

// No zone is further from UTC, and no change of a zone larger, than this.
const far = 36 * 3_600_000;

/** The time zone of a name, such as `Europe/Zurich`; `undefined` for one that is unknown. */
export function timeZone(name: string): TimeZone | undefined {
  if (name === "UTC") return { wallAt: (time) => time, timeOf: (wall) => wall };
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

  const wallAt = (time: number): number => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(time)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (time % 1000);
  };

  return {
    wallAt,
    timeOf: (wall) => {
      const offsets = [wall - far, wall + far].map((time) => wallAt(time) - time);
      const times = offsets.map((offset) => wall - offset);
      const first = Math.min(...times.filter((time) => wallAt(time) === wall));
      return first === Infinity ? endOfGap(wall, Math.min(...times), Math.max(...times)) : first;
    },
  };

  /** The first millisecond, after `before` and at `after` at the latest, at which the wall shows more than `wall`. */
  function endOfGap(wall: number, before: number, after: number): number {
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (wallAt(middle) > wall) high = middle;
      else low = middle;
    }
    return high;
  }
}
