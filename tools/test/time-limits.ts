// Time limits of test files. They only end what hangs: no assertion depends on them.
import type { TestGroup } from "./test-files.ts";

/** Environment variable with the time limit of a test file in milliseconds, for its process. */
export const limitVariable = "LIMMAT_TEST_LIMIT_MS";

/** Time limits of a test file, in milliseconds. */
export interface TimeLimits {
  /** Limit of a test. It is less than that of the file, so that a test that never ends is named. */
  readonly testMs: number;
  /** Limit of the file. Its process describes itself and exits. */
  readonly fileMs: number;
  /** Limit of a process that did not exit by itself, because its event loop is blocked. */
  readonly processMs: number;
}

/** Default limits of the files of a group: many times the duration of the slowest one. */
const defaultFileMs: Readonly<Record<TestGroup, number>> = {
  short: 240_000,
  examples: 240_000,
  long: 600_000,
  nightly: 3_600_000,
};

/** Returns the limits of a test file. */
export function limitsOf(group: TestGroup, fileMs: number = defaultFileMs[group]): TimeLimits {
  return { testMs: Math.ceil(fileMs * 0.8), fileMs, processMs: Math.ceil(fileMs * 1.02 + 2000) };
}
