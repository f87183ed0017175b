import { isError } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { errors } from "../errors.ts";
import { flashMessages } from "../flash/flash-state.ts";
import { catchError, type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { isReported, markReported } from "../errors/reported.ts";
import type { Request, Response } from "../../http/message/index.ts";
import { sessionChange } from "../session/session-state.ts";
import { factory, type Factory } from "./factory.ts";

/** An error that ended a request, and of the request what may be passed on: no headers, no body, no query. */
export interface ErrorReport {
  /** What was thrown. */
  readonly error: unknown;
  /** The identifier that the user sees on the error page. */
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** Tells somebody of an error. Runs beside the request: what it throws is logged, and how long it takes does not matter. */
export type ErrorReporter = (report: ErrorReport) => void | Promise<void>;

/** Who is told of errors. */
export interface ErrorOptions {
  /** Told of every error that is not the client's fault. Default none. */
  readonly reporters?: readonly ErrorReporter[];
}

const log = Log.source("limmat.web");

/**
 * Logs what handlers throw, tells the reporters, and throws it again: the HTTP service makes the error page of it.
 *
 * An error is logged and reported once per request, however often the middleware is passed. Errors that are the client's
 * fault (4xx) are logged at level debug and not reported.
 */
export const error: Factory<ErrorOptions> = factory("error", ({ reporters = [] }) => {
  const middleware: Middleware = (handler: Handler) => {
    const complete: Handler = (request) => mapResponse(handler(request), demandWritten);
    return (request: Request) =>
      catchError(complete, request, (thrown) => {
        report(request, thrown, reporters);
        throw thrown;
      });
  };
  return middleware;
});

/** Logs and reports an error, unless that was done for this request already. */
export function report(request: Request, thrown: unknown, reporters: readonly ErrorReporter[]): void {
  if (isReported(request, thrown)) return;
  markReported(request, thrown);
  const { method, path } = request;
  if (isClientFault(thrown)) return log.debug(thrown.message, { method, path, code: thrown.code });
  log.error("The request failed", { method, path, error: thrown });
  for (const reporter of reporters) void tell(reporter, { error: thrown, requestId: request.id, method, path });
}

/** A session or a message that nobody wrote into a cookie would be lost without a word. */
function demandWritten(response: Response): Response {
  if (response.slot(sessionChange) !== undefined) throw errors.E_SESSION_MISSING();
  if (response.slot(flashMessages) !== undefined) throw errors.E_FLASH_MISSING();
  return response;
}

function isClientFault(thrown: unknown): thrown is Error & { code: string } {
  return isError(thrown) && (thrown.expose || thrown.code === "E_CLIENT_GONE");
}

async function tell(reporter: ErrorReporter, told: ErrorReport): Promise<void> {
  try {
    await reporter(told);
  } catch (failure) {
    log.error("An error reporter failed", { error: failure });
  }
}
