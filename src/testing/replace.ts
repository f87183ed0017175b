import { Configuration } from "../config/index.ts";
import { storedValue } from "../config/internal.ts";
import { type Log, LogInternals } from "../log/index.ts";
import { RandomInternals } from "../random/index.ts";
import { type Time, TimeInternals } from "../time/index.ts";

/**
 * Replaces the clock until the end of the scope. Time stands still until `advance` is called.
 *
 * @example
 * using clock = fakeClock(new Date("2030-01-01T00:00:00Z"));
 * await clock.advance(Time.minutes(5));
 */
export function fakeClock(start?: Date): Time.FakeClock & Disposable {
  const clock = TimeInternals.fakeClock(start);
  const restore = TimeInternals.useClock(clock);
  return Object.assign(clock, { [Symbol.dispose]: restore });
}

/**
 * Replaces the source of `Random` until the end of the scope. The same seed gives the same values.
 *
 * @example
 * using _ = seededRandom("orders");
 */
export function seededRandom(seed: string): Disposable {
  const restore = RandomInternals.useSource(RandomInternals.seededSource(seed));
  return { [Symbol.dispose]: restore };
}

/** Captured log entries. */
export interface CapturedLog extends Disposable {
  /** Entries, in order. */
  readonly entries: readonly Log.Entry[];
  /** Returns the messages, in order. */
  readonly messages: () => readonly string[];
}

/**
 * Captures log entries instead of writing them, until the end of the scope. Default: all levels. Values are redacted as
 * `Log.configure` says.
 *
 * @example
 * using log = capturedLog();
 * await app.request("/");
 * assert.deepEqual(log.messages(), []);
 */
export function capturedLog(level: Log.Level = "debug"): CapturedLog {
  const entries: Log.Entry[] = [];
  const restore = LogInternals.reconfigure({ level, reporters: [{ report: (entry) => void entries.push(entry) }] });
  return { entries, messages: () => entries.map(({ message }) => message), [Symbol.dispose]: restore };
}

/**
 * Overrides configuration keys until the end of the scope. They take precedence over every other source.
 *
 * @example
 * using _ = configuration({ FRAMEWORK_ENV: "production" });
 */
export function configuration(values: Readonly<Record<string, string>>): Disposable {
  const previousValues = Object.keys(values).map((key): [string, string] => [key, storedValue(key) ?? ""]);
  Configuration.store(Object.entries(values));
  return { [Symbol.dispose]: () => Configuration.store(previousValues) };
}
