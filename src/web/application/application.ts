import { Log } from "../../log/index.ts";
import { showsDetails } from "../errors/development-page/shows-details.ts";
import { httpErrors, Key, type Request, Response, withErrorHeaders } from "../../http/message/index.ts";
import { errorResponse } from "../errors/error-page.ts";
import { explained, type ExplainedFailure, type Failure, failureOf } from "../errors/failure.ts";
import {
  catchError,
  compile,
  compose,
  type Handler,
  type HandlerResult,
  mapResponse,
  type Middleware,
  type Router,
} from "../../http/router/index.ts";
import { error } from "../middleware/error.ts";
import { id } from "../middleware/id.ts";
import { methodOverride } from "../middleware/method-override.ts";
import { securityHeaders } from "../middleware/security-headers.ts";
import { staticFile } from "../middleware/static-file.ts";
import { isReported } from "../errors/reported.ts";
import { WebApplication } from "./web-application.ts";

/** What an application answers with. */
export interface ApplicationDefinition {
  readonly router: Router;
  /** Run for every request, unmatched ones included, the first outermost. Default none. */
  readonly middlewares?: readonly Middleware[];
  /** Answers what no route does; 404 unless its response says another status than 200. Default: the error page. */
  readonly notFound?: Handler;
  /** Makes the answer for what failed. Default: a plain page, or a problem document for clients that want JSON. */
  readonly errorPage?: (request: Request, failure: ExplainedFailure) => HandlerResult;
}

const log = Log.source("limmat.web");

/**
 * Builds the way of a request: identifier, security headers, error pages, error log, method override, static files, the
 * middlewares of the application, router, the route's middlewares, handler.
 *
 * @throws E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE
 */
export function buildApplication(definition: ApplicationDefinition): WebApplication {
  const { router, middlewares = [], errorPage = errorResponse } = definition;
  const fail = (request: Request, failure: Failure): HandlerResult =>
    withErrorHeaders(request, Response.from(errorPage(request, explained(failure))));

  // The page for programmers is loaded with the first error: most starts never need it (docs/decisions/008).
  const showDetails = async (request: Request, thrown: unknown, failure: Failure): Promise<HandlerResult> => {
    const { developmentAnswer } = await import("../errors/development-page/development-page.ts");
    const details = developmentAnswer(request, thrown, failure.status);
    return details === undefined ? fail(request, failure) : withErrorHeaders(request, details);
  };
  const recover = (thrown: unknown, request: Request): HandlerResult | Promise<HandlerResult> => {
    if (!isReported(request, thrown)) log.error("The request failed", { path: request.path, error: thrown });
    const failure = failureOf(thrown);
    return failure.status >= 500 && showsDetails() ? showDetails(request, thrown, failure) : fail(request, failure);
  };
  const pages: Middleware = (handler) => (request) => catchError(handler, request, recover);
  const outside = [id(), securityHeaders(), pages];
  const inside = [error(), methodOverride(), staticFile(), ...middlewares];

  const notFound: Handler =
    definition.notFound === undefined
      ? (request) => fail(request, failureOf(httpErrors.E_NOT_FOUND(showsDetails() ? request.path : undefined)))
      : (request) => mapResponse((definition.notFound as Handler)(request), asNotFound);
  const route = compile(router, {
    globals: [...outside, ...inside],
    notFound,
    methodNotAllowed: (request, allow) => {
      const failure = failureOf(httpErrors.E_METHOD_NOT_ALLOWED(request.method, allow.split(", ")));
      return fail(request, { ...failure, headers: { allow } });
    },
  });

  const handleError = compose(outside, (request) => fail(request, failureOf(request.get(errorKey))));

  return new WebApplication({
    routes: router.routes,
    handle: compose([...outside, ...inside], checked(route)),
    handleOutsidePrefix: compose(outside, notFound),
    handleError: (request, cause) => {
      request.set(errorKey, cause);
      return handleError(request);
    },
  });
}

const errorKey = new Key<unknown>("error of the request");

const asNotFound = (response: Response): Response => (response.status === 200 ? response.withStatus(404) : response);

/** A handler that gives no response fails here, inside of whatever logs errors and makes pages of them. */
const checked =
  (handler: Handler): Handler =>
  (request) =>
    mapResponse(handler(request), same);

const same = (response: Response): Response => response;
