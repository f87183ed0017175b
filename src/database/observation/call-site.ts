/**
 * Returns the location in the application that runs a statement: the first frame outside of the modules for databases.
 * `callee` is a function that the statement has called: its frame and those above it do not count.
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

// Tables and migrations run statements as well.
const moduleFolders = ["../", "../../table/", "../../migration/"].map((path) => new URL(path, import.meta.url).href);

function isApplicationFrame(frame: string): boolean {
  return ![...moduleFolders, "node:", "/node_modules/"].some((path) => frame.includes(path));
}
