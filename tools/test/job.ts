// Unit of work of a test run: a test file, or a program such as the linter.

import type { ProcessGuard } from "./process-guard.ts";

/** Counts of tests, as in the summary of `node:test`. */
export interface TestCounts {
  readonly tests: number;
  readonly suites: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

/** Result of a job. */
export interface JobResult {
  readonly hasPassed: boolean;
  readonly counts: TestCounts;
  /** Descriptions of the failures, each of several lines. */
  readonly failures: readonly string[];
  /** Reasons of skipped tests, one for each. */
  readonly skipReasons: readonly string[];
  /** Standard output and standard error of the process. */
  readonly output: string;
}

/** Surroundings of the processes of all jobs of a run. */
export interface JobContext {
  readonly env: NodeJS.ProcessEnv;
  /** Ends the processes if the runner is killed. */
  readonly guard?: ProcessGuard;
}

/** Unit of work. */
export interface Job {
  /** Path of the test file or name of the program. Unique in a run. */
  readonly name: string;
  /** Duration in milliseconds if no earlier run has measured it. */
  readonly defaultMs: number;
  /** True if no other job may run at the same time. */
  readonly isExclusive: boolean;
  /** True if its result depends on the sources only, so that a second try would not differ. */
  readonly isDeterministic?: boolean;
  readonly run: (signal: AbortSignal) => Promise<JobResult>;
}

/** Job that has ended. */
export interface EndedJob {
  readonly job: Job;
  readonly result: JobResult;
  readonly durationMs: number;
}

/** Counts without any test. */
export const noTests: TestCounts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 };

/** Counts of a program that failed. It counts as one test, like a file that cannot be loaded in `node:test`. */
export const oneFailure: TestCounts = { ...noTests, tests: 1, failed: 1 };

/** Adds counts. */
export function addCounts(a: TestCounts, b: TestCounts): TestCounts {
  return {
    tests: a.tests + b.tests,
    suites: a.suites + b.suites,
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    skipped: a.skipped + b.skipped,
    todo: a.todo + b.todo,
  };
}
