// Reporter that runs in the process of each test file, and writes its result as JSON to the file in LIMMAT_TEST_REPORT.
import { AsyncResource } from "node:async_hooks";
import { writeFileSync } from "node:fs";
import { after, type EventData } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { noTests, type TestCounts } from "./job.ts";
import { setReporter, watchExit } from "./preload.ts";
import { root } from "./test-files.ts";

/** Result of the tests of a file. */
export interface FileReport {
  readonly counts: TestCounts;
  readonly failures: readonly string[];
  readonly skipReasons: readonly string[];
  /** Messages of `t.diagnostic`, and errors outside of all tests. */
  readonly diagnostics: readonly string[];
}

const reportFile = process.env["LIMMAT_TEST_REPORT"] ?? "/dev/null";

// Node loads this module after the first test is defined, and before it runs. A file without tests writes no report.
writeFileSync(reportFile, "");

// Outside of all tests, as Node sees it: the hook belongs to the file.
const fileScope = new AsyncResource("limmat-test-file", { triggerAsyncId: 0 });

// The file is being loaded already. As its last hook, this one runs when all tests and hooks are over.
import(pathToFileURL(process.argv[1] ?? "").href).then(
  () => fileScope.runInAsyncScope(after, undefined, watchExit),
  // Node reports an error of the file.
  () => {},
);

/** Collects the events of `node:test`. Writes nothing to the destination of the reporter. */
// oxlint-disable-next-line require-yield -- Node expects a generator.
async function* reportEvents(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  const failures: string[] = [];
  const skipReasons: string[] = [];
  // Names of the test that runs and of the tests around it.
  const names: string[] = [];
  const diagnostics: string[] = [];
  const running = new Map<string, string>();
  let ended = noTests;
  const writeReport = (counts: TestCounts): void =>
    writeFileSync(reportFile, JSON.stringify({ counts, failures, skipReasons, diagnostics } satisfies FileReport));
  const end = (problem: string): void => {
    failures.push(`test file ${process.argv[1]?.replace(`${root}/`, "")}\n✖ ${problem}`);
    writeReport({ ...ended, tests: ended.tests + 1, failed: ended.failed + 1 });
    process.exit(1);
  };
  setReporter(end, () => [...running.values()]);
  for await (const { type, data } of events) {
    if (type === "test:dequeue") running.set(`${data.line}:${data.column} ${data.name}`, data.name);
    if (type === "test:complete") running.delete(`${data.line}:${data.column} ${data.name}`);
    if (type === "test:pass" || type === "test:fail") ended = addTest(ended, type, data);
    if (type === "test:start") names.splice(data.nesting, Infinity, data.name);
    if (type === "test:fail" && !isCausedBySubtest(data)) failures.push(describeFailure(data, names));
    if (type === "test:pass" && data.skip !== undefined) {
      skipReasons.push(typeof data.skip === "string" && data.skip !== "" ? data.skip : "no reason given");
    }
    if (
      type === "test:diagnostic" &&
      !/^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/.test(data.message)
    )
      diagnostics.push(`ℹ ${data.message}`);
    if (type === "test:summary") {
      const { tests, suites, passed, cancelled, skipped, todo } = data.counts;
      const failed = tests - passed - cancelled - skipped - todo;
      writeReport({ tests, suites, passed, failed, cancelled, skipped, todo });
    }
  }
}

/** Adds a test or suite that has ended to counts, as `node:test` does. */
function addTest(
  counts: TestCounts,
  type: "test:pass" | "test:fail",
  data: EventData.TestPass | EventData.TestFail,
): TestCounts {
  if (data.details.type === "suite") return { ...counts, suites: counts.suites + 1 };
  const state =
    data.skip !== undefined ? "skipped" : data.todo !== undefined ? "todo" : type === "test:pass" ? "passed" : "failed";
  return { ...counts, tests: counts.tests + 1, [state]: counts[state] + 1 };
}

const isCausedBySubtest = ({ details }: EventData.TestFail): boolean =>
  (details.error as EventData.Error & { readonly failureType?: unknown }).failureType === "subtestsFailed";

/** Returns location, name and error of a failed test. */
function describeFailure(
  { name, nesting, file, line, column, details }: EventData.TestFail,
  names: readonly string[],
): string {
  const path = [...names.slice(0, nesting), name].join(" › ");
  const location = file === undefined ? "" : `${file.replace(`${root}/`, "")}:${line}:${column}`;
  const error = details.error.cause ?? details.error;
  const text = typeof error === "string" ? error : inspect(error, { depth: 5 });
  return `test at ${location}\n✖ ${path} (${details.duration_ms.toFixed(1)}ms)\n${text.replaceAll(/^/gm, "  ")}`;
}

// oxlint-disable-next-line import/no-default-export -- Node loads a reporter through its default export.
export default reportEvents;
