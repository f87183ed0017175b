import { Log } from "../../log/index.ts";
import { showsDetails } from "../development-page/shows-details.ts";
import { withErrorHeaders } from "../error-headers.ts";
import { errorResponse } from "../error-page.ts";
import { errors } from "../errors.ts";
import { explained, type ExplainedFailure, type Failure, failureOf } from "../failure.ts";
import { type Answer, catchError, compose, type Handler, mapResponse, type Middleware } from "../handler.ts";
import { error } from "../middleware/error.ts";
import { id } from "../middleware/id.ts";
import { methodOverride } from "../middleware/method-override.ts";
import { securityHeaders } from "../middleware/security-headers.ts";
import { staticFile } from "../middleware/static-file.ts";
import { isReported } from "../reported.ts";
import type { Request } from "../request.ts";
import { Response } from "../response.ts";
import { Key } from "../key.ts";
import { compile } from "../router/compile.ts";
import type { Router } from "../router/route.ts";

/** What an application answers with. */
export interface ApplicationDefinition {
  readonly router: Router;
  /** Run for every request, unmatched ones included, the first outermost. Default none. */
  readonly middlewares?: readonly Middleware[];
  /** Answers what no route does; 404 unless its response says another status than 200. Default: the error page. */
  readonly notFound?: Handler;
  /** Makes the answer for what failed. Default: a plain page, or a problem document for clients that want JSON. */
  readonly errorPage?: (request: Request, failure: ExplainedFailure) => Answer;
}

/** An application, built: what is asked of it goes in at one of these. */
export interface Application {
  /** Answers a request. Neither throws nor rejects, unless the middlewares at the very outside do. */
  readonly answer: Handler;
  /** Answers a request outside of the prefix: by 404, with the same headers as all else. */
  readonly answerOutside: Handler;
  /** Answers a request that cannot be understood, by the page of the error. */
  readonly refuse: (request: Request, refusal: unknown) => ReturnType<Handler>;
}

const log = Log.source("limmat.web");

/**
 * Builds the way of a request: identifier, security headers, error pages, error log, method override, static files, the
 * middlewares of the application, router, the route's middlewares, handler.
 *
 * @throws E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE
 */
export function buildApplication(definition: ApplicationDefinition): Application {
  const { router, middlewares = [], errorPage = errorResponse } = definition;
  const fail = (request: Request, failure: Failure): Answer =>
    withErrorHeaders(request, Response.from(errorPage(request, explained(failure))));

  // The page for programmers is loaded with the first error: most starts never need it (docs/decisions/008).
  const showDetails = async (request: Request, thrown: unknown, failure: Failure): Promise<Answer> => {
    const { developmentAnswer } = await import("../development-page/development-page.ts");
    const details = developmentAnswer(request, thrown, failure.status);
    return details === undefined ? fail(request, failure) : withErrorHeaders(request, details);
  };
  const recover = (thrown: unknown, request: Request): Answer | Promise<Answer> => {
    if (!isReported(request, thrown)) log.error("The request failed", { path: request.path, error: thrown });
    const failure = failureOf(thrown);
    return failure.status >= 500 && showsDetails() ? showDetails(request, thrown, failure) : fail(request, failure);
  };
  const pages: Middleware = (handler) => (request) => catchError(handler, request, recover);
  const outside = [id(), securityHeaders(), pages];
  const inside = [error(), methodOverride(), staticFile(), ...middlewares];

  const notFound: Handler =
    definition.notFound === undefined
      ? (request) => fail(request, failureOf(errors.E_NOT_FOUND(showsDetails() ? request.path : undefined)))
      : (request) => mapResponse((definition.notFound as Handler)(request), asNotFound);
  const route = compile(router, {
    globals: [...outside, ...inside],
    notFound,
    methodNotAllowed: (request, allow) => {
      const failure = failureOf(errors.E_METHOD_NOT_ALLOWED(request.method, allow.split(", ")));
      return fail(request, { ...failure, headers: { allow } });
    },
  });

  const refuse = compose(outside, (request) => fail(request, failureOf(request.get(refusals))));

  return {
    answer: compose([...outside, ...inside], checked(route)),
    answerOutside: compose(outside, notFound),
    refuse: (request, refusal) => {
      request.set(refusals, refusal);
      return refuse(request);
    },
  };
}

const refusals = new Key<unknown>("why the request was refused");

const asNotFound = (response: Response): Response => (response.status === 200 ? response.withStatus(404) : response);

/** A handler that gives no response fails here, inside of whatever logs errors and makes pages of them. */
const checked =
  (handler: Handler): Handler =>
  (request) =>
    mapResponse(handler(request), same);

const same = (response: Response): Response => response;
