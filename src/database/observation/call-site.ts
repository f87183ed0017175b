/**
 * Returns the location in the application that runs a statement: the first frame outside of the database module. `callee` is
 * a function that the statement has called: its frame and those above it do not count.
 */
export function findCallSite(callee: (...values: never[]) => unknown = findCallSite): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const trace = { stack: "" };
  Error.captureStackTrace(trace, callee);
  const { stack } = trace;
  Error.stackTraceLimit = limit;
  const line = stack.split("\n").find((frame, index) => index > 0 && isApplicationFrame(frame));
  return line === undefined ? "unknown" : line.trim().replace(/^at (?:async )?/, "");
}

const moduleFolder = new URL("../", import.meta.url).href;

function isApplicationFrame(frame: string): boolean {
  return !frame.includes(moduleFolder) && !frame.includes("node:") && !frame.includes("/node_modules/");
}
