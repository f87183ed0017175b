import { Configuration } from "../config/index.ts";
import { subscribe } from "node:diagnostics_channel";
import { BoundedMap, lazy, type RequestStatements, requestStatementsChannelName } from "../core/index.ts";
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

type RunsByStatement = Map<PreparedStatement, { count: number; readonly at: string }>;

/** Returns the statements of the last requests. The error page of development asks for those of one request. */
const statementsByRequest = lazy(() => {
  const byRequest = new BoundedMap<unknown, RunsByStatement>(maxTrackedRequests);
  subscribe(requestStatementsChannelName, (message) => {
    const { requestId, statements } = message as RequestStatements;
    for (const [{ text }, { count, at }] of byRequest.get(requestId) ?? []) {
      statements.push({ text: onOneLine(text), count, at });
    }
  });
  return byRequest;
});

/**
 * Counts the statements of each request and warns about one that is repeated. It is usually an N+1 query: one statement
 * per item of a list instead of one for all items. Active in development only.
 */
function warnAboutRepeatedStatement(prepared: PreparedStatement): void {
  const request = LogInternals.currentFields()?.["request_id"];
  if (request === undefined || Configuration.environment() !== "development") return;
  const byRequest = statementsByRequest();
  let statements = byRequest.get(request);
  if (statements === undefined) byRequest.set(request, (statements = new Map() as RunsByStatement));
  let runs = statements.get(prepared);
  if (runs === undefined) statements.set(prepared, (runs = { count: 0, at: findCallSite() }));
  runs.count += 1;
  if (runs.count !== maxRunsPerRequest + 1) return;
  log.warning(`A request ran the same statement more than ${maxRunsPerRequest} times: ${onOneLine(prepared.text)}`, {
    at: findCallSite(),
  });
}

/** Returns SQL on one line. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
