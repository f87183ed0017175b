import { lazy } from "../../core/index.ts";
import {
  httpErrors,
  Key,
  type Request,
  type Response,
  toResponse,
  withErrorHeaders,
} from "../../http/message/index.ts";
import { errorResponse } from "../errors/error-page.ts";
import { explained, type ExplainedFailure, type Failure, failureOf, showsErrorDetails } from "../errors/failure.ts";
import {
  compile,
  compose,
  type Handler,
  type HandlerResult,
  isThenable,
  mapResponse,
  type Middleware,
  requireMiddlewares,
  type Router,
  withRoute,
} from "../../http/router/index.ts";
import { allowMissingFlash } from "../flash/flash-state.ts";
import {
  error,
  refusalLogger,
  reportError,
  reportErrorPageFailure,
  requireCookiesWritten,
} from "../middleware/error.ts";
import { addRequestId, enterRequestId, id } from "../middleware/id.ts";
import { methodOverride } from "../middleware/method-override.ts";
import { headersAdderOf, securityHeaders } from "../middleware/security-headers.ts";
import { staticFile } from "../middleware/static-file.ts";
import { WebApplication } from "./web-application.ts";
import { makeJsonDefault } from "./json-default.ts";

/** Definition of an application: its router, middlewares and fallback handlers. */
export interface ApplicationDefinition {
  readonly router: Router;
  /** Middlewares that run for every request, including unmatched ones; the first is outermost. Default none. */
  readonly middlewares?: readonly Middleware[];
  /** Handler of requests without a route. A response with status 200 becomes 404. Default: the error page. */
  readonly notFound?: Handler;
  /**
   * Renders the response of a failed request. Default: a plain page, or a problem document for clients that prefer JSON. The
   * default is also sent, with the same status, if the function throws. Its error is logged and reported.
   */
  readonly errorPage?: (request: Request, failure: ExplainedFailure) => HandlerResult;
}

/**
 * Builds the request pipeline: identifier, security headers, error pages, error log, method override, static files, the
 * middlewares of the application, router, the route's middlewares, handler.
 *
 * @throws E_ROUTE_TAKEN, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE, E_ROUTE_INVALID
 */
export function buildApplication(definition: ApplicationDefinition): WebApplication {
  const { router, middlewares = [] } = definition;
  requireMiddlewares(middlewares, "HTTP service");
  const errorPage = definition.errorPage === undefined ? errorResponse : withFallback(definition.errorPage);
  const fail = (request: Request, failure: Failure): HandlerResult =>
    withErrorHeaders(request, errorPage(request, explained(failure)));

  // Pages of the development server: a server in production never loads them.
  const respondWithDetails = async (request: Request, thrown: unknown, failure: Failure): Promise<HandlerResult> => {
    const { developmentResponse } = await import("../errors/development-page/development-page.ts");
    const page = developmentResponse(request, thrown, failure.status);
    return page === undefined ? fail(request, failure) : withErrorHeaders(request, page);
  };
  const respondWithNearestRoutes = async (request: Request): Promise<HandlerResult> => {
    const { notFoundResponse } = await import("../errors/development-page/not-found-page.ts");
    return withErrorHeaders(request, notFoundResponse(request, router.routes));
  };
  const recover = (caught: unknown, request: Request): HandlerResult | Promise<HandlerResult> => {
    const thrown = withRoute(caught, request);
    reportError(request, thrown, []);
    const failure = failureOf(thrown);
    const respond = (): HandlerResult | Promise<HandlerResult> =>
      failure.status >= 500 && showsErrorDetails()
        ? respondWithDetails(request, thrown, failure)
        : fail(request, failure);
    return withJsonDefault(request, respond);
  };
  // Made for the first request that is refused before routing.
  const jsonDefault = lazy(() => makeJsonDefault(router));
  /** Makes JSON the default format of a request without a route, if the route of its path prefers JSON. */
  const withJsonDefault = (
    request: Request,
    respond: () => HandlerResult | Promise<HandlerResult>,
  ): HandlerResult | Promise<HandlerResult> => {
    if (request.route === undefined) jsonDefault()(request);
    return respond();
  };
  const headersMiddleware =
    middlewares.find((middleware) => middleware !== securityHeaders() && headersAdderOf(middleware) !== undefined) ??
    securityHeaders();
  const addSecurityHeaders = headersAdderOf(headersMiddleware) ?? ((_, response) => response);
  const logRefusal = refusalLogger();
  const finish = (request: Request, response: Response): Response => {
    const { status } = response;
    if (status === 401 || status === 403 || status === 429) logRefusal(request, response);
    return addRequestId(request, addSecurityHeaders(request, response));
  };
  // `id()`, `securityHeaders()`, `error()` and the error pages in one step: a pending response passes one promise instead of
  // four. Together with `StatementBatch`, a row by its key takes 12.6 instead of 15.1 µs of user time.
  const withDefaults = (handler: Handler): Handler => {
    return (request) => {
      const respondToError = (thrown: unknown): HandlerResult | Promise<HandlerResult> =>
        mapResponse(recover(thrown, request), (response) => finish(request, response));
      const complete = (result: HandlerResult): HandlerResult | Promise<HandlerResult> => {
        let response: Response;
        try {
          response = requireCookiesWritten(toResponse(result));
        } catch (thrown) {
          return respondToError(thrown);
        }
        return finish(request, response);
      };
      enterRequestId(request);
      let result: HandlerResult | Promise<HandlerResult>;
      try {
        result = handler(request);
      } catch (thrown) {
        return respondToError(thrown);
      }
      return isThenable(result) ? Promise.resolve(result).then(complete, respondToError) : complete(result);
    };
  };
  const defaults = [id(), headersMiddleware, error()];
  const overrides = middlewares.includes(methodOverride()) ? [] : [methodOverride()];
  const inner = [...overrides, staticFile(), ...middlewares].filter(
    (middleware) => !defaults.includes(middleware) && middleware !== securityHeaders(),
  );

  const notFound: Handler =
    definition.notFound === undefined
      ? (request) =>
          showsErrorDetails() ? respondWithNearestRoutes(request) : fail(request, failureOf(httpErrors.E_NOT_FOUND()))
      : (request) => {
          allowMissingFlash(request);
          return mapResponse((definition.notFound as Handler)(request), asNotFound);
        };
  const { handle: route, routesOf } = compile(router, {
    globalMiddlewares: [...defaults, ...inner],
    notFound,
    methodNotAllowed: (request, allow) => {
      const failure = failureOf(httpErrors.E_METHOD_NOT_ALLOWED(request.method, allow.split(", ")));
      return fail(request, { ...failure, headers: { allow } });
    },
  });

  const handleError = withDefaults((request) => fail(request, failureOf(request.get(errorKey))));

  return new WebApplication({
    routes: router.routes,
    middlewares,
    routesOf,
    handle: withDefaults(compose(inner, middlewares.length === 0 ? route : requireResponse(route))),
    handleOutsidePrefix: withDefaults(notFound),
    handleError: (request, cause) => {
      request.set(errorKey, cause);
      return withJsonDefault(request, () => handleError(request));
    },
  });
}

const errorKey = new Key<unknown>("error of the request");

const asNotFound = (response: Response): Response => (response.status === 200 ? response.withStatus(404) : response);

/** Sends the built-in page if the error page of the application throws: the client gets the status of the first failure. */
const withFallback =
  (errorPage: NonNullable<ApplicationDefinition["errorPage"]>) =>
  (request: Request, failure: ExplainedFailure): Response => {
    allowMissingFlash(request);
    try {
      return toResponse(errorPage(request, failure));
    } catch (thrown) {
      reportErrorPageFailure(request, thrown, failure.status);
      return errorResponse(request, failure);
    }
  };

/** Fails inside the middlewares of the application when a handler returns no response. */
const requireResponse =
  (handler: Handler): Handler =>
  (request) =>
    mapResponse(handler(request), identity);

const identity = (response: Response): Response => response;
