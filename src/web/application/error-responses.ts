import { lazy } from "../../core/index.ts";
import {
  httpErrors,
  parseTarget,
  type Request,
  Response,
  toResponse,
  withErrorHeaders,
} from "../../http/message/index.ts";
import {
  compile,
  type Fallbacks,
  type Handler,
  type HandlerResult,
  mapResponse,
  type Router,
  withRoute,
} from "../../http/router/index.ts";
import { errorResponse } from "../errors/error-page.ts";
import { explained, type ExplainedFailure, type Failure, failureOf, showsErrorDetails } from "../errors/failure.ts";
import { enterRequestLanguage, withLanguageHeaders } from "../middleware/language.ts";
import { markErrorPage } from "../page/error-page-mark.ts";
import { reportError, reportErrorPageFailure } from "../middleware/error.ts";
import type { ApplicationDefinition } from "./application.ts";

/** Responses of an application to requests that fail or have no route. */
export interface ErrorResponses extends Fallbacks {
  /** Logs and reports an error, unless that has happened, and returns its response. */
  readonly recover: (request: Request, thrown: unknown) => ReturnType<Handler>;
  /** Returns the response of a request that the server refuses before the application handles it. */
  readonly refuse: (request: Request, cause: unknown) => HandlerResult;
}

/** Creates the error responses of an application. The modules of their details are loaded in development only. */
export function makeErrorResponses(definition: ApplicationDefinition): ErrorResponses {
  const { router, middlewares = [] } = definition;
  const errorPage = definition.errorPage === undefined ? errorResponse : withFallback(definition.errorPage);
  const fail = (request: Request, failure: Failure): HandlerResult =>
    withErrorHeaders(request, withLanguageHeaders(request, errorPage(request, explained(failure))));
  /** Returns the failure with its message in the language of the request. */
  const failureFor = (request: Request, error: unknown): Failure => {
    enterRequestLanguage(request, middlewares);
    return failureOf(error);
  };

  // Made for the first request that is refused before routing.
  const jsonDefault = lazy(() => makeJsonDefault(router));
  /** Makes JSON the default format of a request without a route, if the route of its path prefers JSON. */
  const applyJsonDefault = (request: Request): void => {
    if (request.route === undefined) jsonDefault()(request);
  };

  const respondWithDetails = async (request: Request, thrown: unknown, failure: Failure): Promise<HandlerResult> => {
    const { developmentResponse } = await import("../errors/development-page/development-page.ts");
    const page = await developmentResponse(request, thrown, failure.status);
    return page === undefined ? fail(request, failure) : withErrorHeaders(request, page);
  };
  const respondWithNearestRoutes = async (request: Request): Promise<HandlerResult> => {
    const { notFoundResponse } = await import("../errors/development-page/not-found-page.ts");
    return withErrorHeaders(request, notFoundResponse(request, router.routes));
  };

  return {
    recover: (request, caught) => {
      const thrown = withRoute(caught, request);
      reportError(request, thrown, []);
      const failure = failureFor(request, thrown);
      applyJsonDefault(request);
      if (failure.status >= 500 && showsErrorDetails()) return respondWithDetails(request, thrown, failure);
      return fail(request, failure);
    },
    refuse: (request, cause) => {
      applyJsonDefault(request);
      return fail(request, failureFor(request, cause));
    },
    notFound: makeNotFound(definition.notFound, (request) =>
      showsErrorDetails()
        ? respondWithNearestRoutes(request)
        : fail(request, failureFor(request, httpErrors.E_NOT_FOUND())),
    ),
    methodNotAllowed: (request, allow) => {
      const failure = failureFor(request, httpErrors.E_METHOD_NOT_ALLOWED(request.method, allow.split(", ")));
      return fail(request, { ...failure, headers: { allow } });
    },
  };
}

/** Returns the handler of requests without a route. The status of the application's own one is never 200. */
function makeNotFound(ofApplication: Handler | undefined, byDefault: Handler): Handler {
  if (ofApplication === undefined) return byDefault;
  return (request) => {
    markErrorPage(request);
    return mapResponse(ofApplication(request), (response) =>
      response.status === 200 ? response.withStatus(404) : response,
    );
  };
}

/** Sends the built-in page if the error page of the application throws: the client gets the status of the first failure. */
const withFallback =
  (errorPage: NonNullable<ApplicationDefinition["errorPage"]>) =>
  (request: Request, failure: ExplainedFailure): Response => {
    markErrorPage(request);
    try {
      return toResponse(errorPage(request, failure));
    } catch (thrown) {
      reportErrorPageFailure(request, thrown, failure.status);
      return errorResponse(request, failure);
    }
  };

/**
 * Returns a function that makes JSON the default format of a request if its route prefers JSON. For requests that the
 * server refuses before they have a route: of a malformed query, or while it sheds load.
 */
function makeJsonDefault(router: Router): (request: Request) => void {
  const empty: Handler = () => Response.empty();
  const { handle: probe } = compile(withoutHandlers(router), { notFound: empty, methodNotAllowed: empty });
  return (request) => {
    const path = pathOf(request);
    if (path === undefined) return;
    void probe(request.with({ path }));
    request.setRoute(undefined);
  };
}

/** Returns the canonical path of a target, whose query may be malformed, without the prefix; `undefined` for a malformed path. */
function pathOf({ target, prefix }: Request): string | undefined {
  const [beforeQuery = ""] = target.split("?", 1);
  try {
    const { path } = parseTarget(beforeQuery);
    if (path === prefix) return "/";
    return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the routes with handlers that only make JSON the default format where a route prefers it. */
function withoutHandlers({ routes }: Router): Router {
  return {
    routes: routes.map((route) => ({
      ...route,
      middlewares: [],
      handler: (request) => {
        if (route.prefersJson) request.preferJson();
        return Response.empty();
      },
    })),
  };
}
