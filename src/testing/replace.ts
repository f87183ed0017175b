import { Configuration } from "../config/index.ts";
import { Log } from "../log/index.ts";
import { Random } from "../random/index.ts";
import { Time } from "../time/index.ts";

/**
 * Stops time, until the end of the scope: nothing moves but by `advance`.
 *
 * @example
 * using clock = fakeClock(new Date("2030-01-01T00:00:00Z"));
 * await clock.advance(Time.minutes(5));
 */
export function fakeClock(start?: Date): Time.FakeClock & Disposable {
  const clock = Time.fakeClock(start);
  const restore = Time.useClock(clock);
  return Object.assign(clock, { [Symbol.dispose]: restore });
}

/**
 * Makes `Random` give the same values for the same seed, until the end of the scope.
 *
 * @example
 * using _ = seededRandom("orders");
 */
export function seededRandom(seed: string): Disposable {
  const restore = Random.useSource(Random.seededSource(seed));
  return { [Symbol.dispose]: restore };
}

/** Log events that were kept instead of written. */
export interface CapturedLog extends Disposable {
  readonly entries: readonly Log.Entry[];
  /** The messages, in order. */
  readonly messages: () => readonly string[];
}

/**
 * Keeps log events instead of writing them, until the end of the scope; by default of all levels.
 *
 * @example
 * using log = capturedLog();
 * await app.request("/");
 * assert.deepEqual(log.messages(), []);
 */
export function capturedLog(level: Log.Level = "debug"): CapturedLog {
  const entries: Log.Entry[] = [];
  Log.configure({ level, reporters: [{ report: (entry) => void entries.push(entry) }] });
  return { entries, messages: () => entries.map(({ message }) => message), [Symbol.dispose]: Log.reset };
}

/**
 * Sets configuration keys until the end of the scope, above every other source; then they are what they were before.
 *
 * @example
 * using _ = configuration({ FRAMEWORK_ENV: "production" });
 */
export function configuration(values: Readonly<Record<string, string>>): Disposable {
  const former = Object.keys(values).map((key): [string, string] => [key, Configuration.findStored(key) ?? ""]);
  Configuration.store(Object.entries(values));
  return { [Symbol.dispose]: () => Configuration.store(former) };
}
