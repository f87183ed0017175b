import { isError, type LimmatError } from "../../core/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { isDeliberate, problemCode, showsErrorDetails } from "../errors/failure.ts";
import { flashMessages } from "../flash/flash-state.ts";
import { catchError, type Handler, mapResponse, type Middleware, withRoute } from "../../http/router/index.ts";
import { Key, type Request, type Response } from "../../http/message/index.ts";
import { sessionChange } from "../session/session-state.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Error of a request, with the parts of the request that are safe to pass on: no headers, no body, no query. */
export interface ErrorReport {
  /** Thrown value. */
  readonly error: unknown;
  /** Identifier of the request, which the error page shows. */
  readonly requestId: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

/** Reports an error to a person or service. Runs in the background; an error that it throws is logged. */
export type ErrorReporter = (report: ErrorReport) => void | Promise<void>;

/** Options of the error middleware. */
export interface ErrorOptions {
  /** Reporters that receive every error which the client did not cause. Default none. */
  readonly reporters?: readonly ErrorReporter[];
}

const log = Log.source("limmat.http");

/**
 * Logs and reports errors of handlers, and rethrows them: the HTTP service renders the error page.
 *
 * An error is logged and reported once per request, even if the middleware runs several times. Errors that the client
 * caused (4xx) are logged at level debug, in development at level info with the stack, and not reported. The service logs 401, 403
 * and 429 at level info, 600 a minute.
 */
export const error: MiddlewareFactory<ErrorOptions> = middlewareFactory("error", ({ reporters = [] }) => {
  const middleware: Middleware = (handler: Handler) => {
    const complete: Handler = (request) => mapResponse(handler(request), requireCookiesWritten);
    return (request: Request) => {
      if (reporters.length > 0) request.set(reportersKey, reporters);
      return catchError(complete, request, (caught) => {
        const thrown = withRoute(caught, request);
        reportError(request, thrown, reporters);
        throw thrown;
      });
    };
  };
  return middleware;
});

/** Error that was logged for the request, so that outer handlers do not log it again. */
const reportedKey = new Key<{ readonly error: unknown }>("reported error");
const reportersKey = new Key<readonly ErrorReporter[]>("error reporters");

/** Logs and reports an error, unless that has already happened for this request. */
export function reportError(request: Request, thrown: unknown, reporters: readonly ErrorReporter[]): void {
  const reported = request.get(reportedKey);
  if (reported !== undefined && reported.error === thrown) return;
  request.set(reportedKey, { error: thrown });
  const { method, path } = request;
  if (isClientFault(thrown)) {
    // In development, a forgotten check of the application has to be found: the client sees no line.
    if (showsErrorDetails() && mayBeMistake(thrown)) {
      return log.info(`The request was answered with ${thrown.status}`, { method, path, error: thrown });
    }
    return log.debug(thrown.message, { method, path, code: thrown.code });
  }
  log.error("The request failed", { method, path, error: thrown });
  notifyReporters(request, thrown, reporters);
}

/** Logs an error of the application's error page, and reports it to the reporters of the innermost middleware `error` that the request has reached. */
export function reportErrorPageFailure(request: Request, thrown: unknown, status: number): void {
  const message = `errorPage failed while it showed ${status}, so the built-in page was sent`;
  log.error(message, { method: request.method, path: request.path, error: thrown });
  notifyReporters(request, thrown, request.get(reportersKey) ?? []);
}

function notifyReporters(request: Request, thrown: unknown, reporters: readonly ErrorReporter[]): void {
  const { id: requestId, method, path } = request;
  const report = { error: thrown, requestId, method, path };
  const logFailure = (failure: unknown): void => log.error("An error reporter failed", { error: failure });
  for (const reporter of reporters) void (async () => reporter(report))().catch(logFailure);
}

/** Fails if a session or flash change reaches the outside of its middleware, where it would be lost silently. */
export function requireCookiesWritten(response: Response): Response {
  if (response.get(sessionChange) !== undefined) throw errors.E_SESSION_MISSING();
  if (response.get(flashMessages) !== undefined) throw errors.E_FLASH_MISSING();
  return response;
}

function isClientFault(thrown: unknown): thrown is LimmatError {
  return isError(thrown) && (thrown.expose || thrown.code === "E_CLIENT_GONE");
}

/** Returns false for an error that is thrown as a response, and for one that `refusalLogger` logs. */
const mayBeMistake = (thrown: LimmatError): boolean =>
  thrown.expose && !isDeliberate(thrown) && ![401, 403, 429].includes(thrown.status ?? 0);

const refusalKey = new Key<true>("logged refusal");

/** Records that the refusal of this request was logged with more details than `logRefusal` has. */
export function markRefusalLogged(request: Request): void {
  request.set(refusalKey, true);
}

/** Creates a function that logs responses with 401, 403 and 429. Clients cause them at will, so their number is limited. */
export function refusalLogger(): (request: Request, response: Response) => void {
  const logRefusal = LogInternals.limitEvents(log.info, { maxEvents: 600, periodMs: Time.minutes(1) });
  return (request, response) => {
    if (request.get(refusalKey) === true) return;
    const { status } = response;
    const thrown = request.get(reportedKey)?.error;
    const code = isError(thrown) && thrown.status === status ? thrown.code : response.get(problemCode);
    const { method, path } = request;
    logRefusal("The request was refused", { method, path, status, ...(code !== undefined && { code }) });
  };
}
