import { Configuration } from "../config/index.ts";
import { BoundedMap } from "../core/index.ts";
import { Log, LogInternals } from "../log/index.ts";
import { Time } from "../time/index.ts";
import { findCallSite, notifyObservers } from "./observation/index.ts";
import type { PreparedStatement, QueryResult } from "./contract.ts";

const log = Log.source("limmat.database");

/** Duration from which a statement is logged as slow, in milliseconds. */
const slowStatementMs = 1000;

/** Number of times that a request may run the same statement before a warning. */
const maxRunsPerRequest = 10;

/** Number of requests whose statements are counted. Beyond it, the oldest request is evicted. */
const maxTrackedRequests = 200;

/** Logs an answered statement without its values: at level debug, or as a warning if it was slow. */
export function logStatement(
  prepared: PreparedStatement,
  startedMs: number,
  result: QueryResult,
  callSite: string | undefined,
): void {
  const durationMs = Time.monotonic() - startedMs;
  const isSlow = durationMs >= slowStatementMs;
  if (!isSlow && callSite === undefined) return;
  const fields = {
    duration_ms: Math.round(durationMs * 1000) / 1000,
    rows: result.columns.length > 0 ? result.rows.length : result.affectedRows,
    ...(callSite === undefined ? {} : { at: callSite }),
  };
  if (isSlow) log.warning(`Slow statement: ${onOneLine(prepared.text)}`, fields);
  else log.debug(onOneLine(prepared.text), fields);
}

/**
 * Returns the location in the application that runs a statement, or `undefined` if statements are not logged. Must be
 * called before the first `await`, while the stack trace still contains the location.
 */
export function captureCallSite(prepared: PreparedStatement): string | undefined {
  notifyObservers(prepared.text);
  warnAboutRepeatedStatement(prepared);
  return LogInternals.isEnabled("debug") ? findCallSite() : undefined;
}

const countsByRequest = new BoundedMap<unknown, Map<PreparedStatement, number>>(maxTrackedRequests);

/**
 * Counts the statements of each request and warns about one that is repeated. It is usually an N+1 query: one statement
 * per item of a list instead of one for all items. Active in development only.
 */
function warnAboutRepeatedStatement(prepared: PreparedStatement): void {
  const request = LogInternals.currentFields()?.["request_id"];
  if (request === undefined || Configuration.environment() !== "development") return;
  let counts = countsByRequest.get(request);
  if (counts === undefined) {
    countsByRequest.set(request, (counts = new Map<PreparedStatement, number>()));
  }
  const count = (counts.get(prepared) ?? 0) + 1;
  counts.set(prepared, count);
  if (count !== maxRunsPerRequest + 1) return;
  log.warning(`A request ran the same statement more than ${maxRunsPerRequest} times: ${onOneLine(prepared.text)}`, {
    at: findCallSite(),
  });
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
