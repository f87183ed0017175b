// Runs one test file in a process of its own.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileReport } from "./event-reporter.ts";
import { addCounts, type JobResult, noTests, oneFailure } from "./job.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { runProcess } from "./run-process.ts";
import { limitVariable, type TimeLimits } from "./time-limits.ts";

/** Options of a test file. */
export interface TestFileOptions {
  readonly signal: AbortSignal;
  readonly limits: TimeLimits;
  readonly guard?: ProcessGuard | undefined;
  /** Path of Node. Default: that of this process. */
  readonly node?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** Regular expression: tests with other names are left out. */
  readonly namePattern?: string | undefined;
}

/** Runs a test file. */
export async function runTestFile(
  path: string,
  { signal, limits, guard, node = process.execPath, env = process.env, namePattern }: TestFileOptions,
): Promise<JobResult> {
  const folder = mkdtempSync(join(tmpdir(), "limmat-test-report-"));
  const reportFile = join(folder, "report.json");
  const flags = [
    "--conditions=@limmat/source",
    `--import=${join(import.meta.dirname, "preload.ts")}`,
    // Any free port: only a process that is blocked opens its inspector.
    "--inspect-port=0",
    `--test-timeout=${limits.testMs}`,
    `--test-reporter=${join(import.meta.dirname, "event-reporter.ts")}`,
    "--test-reporter-destination=stdout",
    ...(namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`]),
  ];
  try {
    const { exit, output } = await runProcess(node, [...flags, path], {
      env: { ...env, LIMMAT_TEST_REPORT: reportFile, [limitVariable]: String(limits.fileMs) },
      signal,
      guard,
      limitMs: limits.processMs,
      hasInspector: true,
    });
    const hasTests = exit !== 0 || existsSync(reportFile);
    return toResult(path, exit, output, hasTests ? readReport(reportFile) : reportWithoutTests);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const emptyReport: FileReport = { counts: noTests, failures: [], skipReasons: [], diagnostics: [] };

/** Report of a file without tests, such as one that other files import. It counts as one test, as in `node:test`. */
const reportWithoutTests: FileReport = { ...emptyReport, counts: { ...noTests, tests: 1, passed: 1 } };

/** Returns the report of a file; `undefined` if its process ended before its tests. */
function readReport(path: string): FileReport | undefined {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text === "" ? undefined : (JSON.parse(text) as FileReport);
}

function toResult(
  path: string,
  exit: number | NodeJS.Signals,
  output: string,
  report: FileReport | undefined,
): JobResult {
  const { counts, failures, skipReasons, diagnostics } = report ?? emptyReport;
  const hasPassed = exit === 0 && report !== undefined;
  const result = { hasPassed, counts, skipReasons, output };
  if (hasPassed) return { ...result, failures: [] };
  if (failures.length > 0) return { ...result, failures: [...failures, ...diagnostics] };
  // The file could not be loaded, ended early, or failed after its tests.
  const problem = report === undefined ? "before its tests had ended" : "although its tests passed";
  const details = [...diagnostics, output].join("\n").replaceAll(/^/gm, "  ");
  const failure = `test file ${path}\n✖ The process exited with ${exit} ${problem}.\n${details}`;
  return { ...result, counts: addCounts(counts, oneFailure), failures: [failure] };
}
