// Loaded before every test file, in its process: time limit, end of a process that lives on after its tests, and warnings.
import { describeResources } from "./active-resources.ts";
import { limitVariable } from "./time-limits.ts";

// Warnings about calls that a later version of Node or of a package refuses, or that set a wrong timer. They fail the file.
const fatalWarnings = ["DeprecationWarning", "TimeoutNegativeWarning", "TimeoutNaNWarning", "TimeoutOverflowWarning"];

// Tests replace the global timers.
const { setInterval, setTimeout } = globalThis;

/** Time that a process may live after its last test and hook, in milliseconds. */
const lingerMs = 10_000;
const tickMs = 100;

/** Ends this process. The reporter replaces it, so that it writes the results of the tests that have ended. */
let endProcess = (problem: string): void => {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
};

/** Names of the tests that run. */
let runningTests = (): readonly string[] => [];

/** Sets how this process ends at a limit, and the names of its running tests. */
export function setReporter(end: (problem: string) => void, running: () => readonly string[]): void {
  endProcess = end;
  runningTests = running;
}

/**
 * Ends this process if it does not exit by itself, although its tests and hooks are over. Counts ticks, not time: a machine
 * that stands still for seconds adds one.
 */
export function watchExit(): void {
  let ticks = 0;
  setInterval(() => {
    ticks++;
    if (ticks === lingerMs / tickMs)
      endProcess(`The process did not exit within ${lingerMs / 1000} s after its last test. ${describeResources()}`);
  }, tickMs).unref();
}

// `node --test` loads this file as well, and has no limit.
if (!process.execArgv.includes("--test")) {
  // Removes the flags of the test runner, which child processes would inherit.
  process.execArgv = process.execArgv.filter((flag) => !/tools\/test\/preload|^--test-|^--inspect-port/.test(flag));
  const limitMs = Number(process.env[limitVariable]);
  if (limitMs > 0) {
    setTimeout(() => {
      const tests = runningTests();
      const running = tests.length === 0 ? "No test was running" : `Running: ${tests.join(", ")}`;
      endProcess(`The process has not ended within ${limitMs / 1000} s. ${running}. ${describeResources()}`);
    }, limitMs).unref();
  }

  process.on("warning", (warning) => {
    if (!fatalWarnings.includes(warning.name)) return;
    process.stderr.write(`${process.argv[1]} caused a warning: ${warning.stack ?? warning.message}\n`);
    process.exitCode = 1;
  });
}
