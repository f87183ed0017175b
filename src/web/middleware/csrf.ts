import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { isSafeMethod, originSet, senderOf } from "../csrf/request-origin.ts";
import { isCsrfCheckEnabled } from "../application/configuration.ts";
import { findSecret, isTokenOf, markCsrfProtected } from "../csrf/token.ts";
import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { describe, failure } from "../openapi/description.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { markRefusalLogged } from "./error.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the CSRF middleware. */
export interface CsrfOptions {
  /** Other origins that may send forms, with a token, such as `https://pay.example.com`. Default none. */
  readonly trustedOrigins?: readonly string[];
  /**
   * False: no token is needed, and a request without `Sec-Fetch-Site` and `Origin` is refused. For sites over https whose
   * visitors have a browser of 2023 or later, which sends `Sec-Fetch-Site`, and no other clients. Default true.
   */
  readonly tokens?: boolean;
  /** Handler of refused requests. Default: the error page or problem document of E_CSRF (403); in development and test with the reason. */
  readonly onRefused?: Handler;
}

const log = Log.source("limmat.http");
const missingTokenProblem = "it had no token";
const missingSecretProblem = "its session has no token";

/**
 * Protects unsafe methods against cross-site request forgery (OWASP CSRF Prevention Cheat Sheet).
 *
 * A request with a method other than GET, HEAD, OPTIONS and QUERY is refused if it comes from another site, by `Sec-Fetch-Site`
 * or else `Origin`. It must carry a token of the same session from `Web.Csrf.find`, in the header `X-CSRF-Token` or in
 * the form field `csrf`. In a multipart form the field precedes the first file, so that no file is received without a
 * valid token. A form is not read if its session has no secret, because no token can be right then. Needs the session
 * middleware outside it, unless `tokens` is false. Tokens are not checked while `FRAMEWORK_ENV` is set to `development` or
 * `test` and `CHECK_CSRF` is not true. Requests from other sites are always refused.
 *
 * The factory throws E_ORIGIN_INVALID for an invalid trusted origin.
 */
export const csrf: MiddlewareFactory<CsrfOptions> = middlewareFactory("csrf", (options) => {
  const trustedOrigins = originSet(options.trustedOrigins ?? []);
  const { onRefused, tokens = true } = options;
  const logProblem = LogInternals.limitEvents(log.warning, { maxEvents: 600, periodMs: Time.minutes(1) });

  const proceedOrRefuse = (handler: Handler, request: Request, problem: string | undefined): ReturnType<Handler> => {
    if (problem === undefined) return handler(request);
    logProblem(`A request was refused by the CSRF check: ${problem}`, { method: request.method, path: request.path });
    markRefusalLogged(request);
    if (onRefused !== undefined) return onRefused(request);
    // In tests the response is often all that is visible: their log has errors only.
    if (!ConfigurationInternals.hasOpenDeveloperPages()) throw errors.E_CSRF();
    throw errors.E_CSRF(hintOn(problem));
  };

  const checkForm = (handler: Handler, request: Request): ReturnType<Handler> =>
    request.withForm((form) => proceedOrRefuse(handler, request, tokenProblem(request, tokenFieldsOf(form))));

  const checkUpload = async (handler: Handler, request: Request): Promise<HandlerResult> => {
    const problem = tokenProblem(request, tokenFieldsOf(await request.fieldsBeforeFiles()));
    return await proceedOrRefuse(
      handler,
      request,
      problem === missingTokenProblem ? `${missingTokenProblem} before its first file` : problem,
    );
  };

  const middleware: Middleware = (handler) => (request) => {
    if (isSafeMethod(request.method)) return handler(request);
    markCsrfProtected(request);
    const sender = senderOf(request, trustedOrigins);
    if (sender === "other-site") return proceedOrRefuse(handler, request, "it came from another site");
    if (!isCsrfCheckEnabled()) return handler(request);
    if (!tokens) {
      const problem = sender === undefined ? "it had neither Sec-Fetch-Site nor Origin" : undefined;
      return proceedOrRefuse(handler, request, problem);
    }
    const header = request.header("x-csrf-token");
    if (header !== undefined) return proceedOrRefuse(handler, request, tokenProblem(request, [header]));
    const type = request.header("content-type");
    const isUpload = isMultipart(type);
    if (!isUpload && !isForm(type)) return proceedOrRefuse(handler, request, "it had no X-CSRF-Token");
    // No token can be right: the form is not read.
    if (findSecret(request) === undefined) return proceedOrRefuse(handler, request, missingSecretProblem);
    return isUpload ? checkUpload(handler, request) : checkForm(handler, request);
  };
  const withRefusal = Object.assign(middleware, {
    refusesForm: (request: Request) => {
      const sender = senderOf(request, trustedOrigins);
      if (sender === "other-site" || !isCsrfCheckEnabled()) return sender === "other-site";
      // A request without a cookie has no session, so that no token can be right.
      return tokens ? request.header("cookie") === undefined : sender === undefined;
    },
  });
  if (onRefused !== undefined) return withRefusal;
  return describe(withRefusal, {
    methods: ["POST", "PUT", "PATCH", "DELETE"],
    responses: { 403: failure("The CSRF token is missing or wrong, or the request came from another site") },
  });
});

/** Returns a hint for programmers, at the end of the message. */
const hintOn = (problem: string): string =>
  ` The check refused the request because ${problem}. A form sends Web.Csrf.find(request) in a hidden input named ` +
  '"csrf", a script sends it in the header X-CSRF-Token.' +
  (Configuration.environment() === "test"
    ? " In a test, get a page with a form first: a visitor sends the token of its last page."
    : "");

function tokenFieldsOf(form: FormEntries): readonly string[] {
  return form.filter(([name]) => name === "csrf").map(([, value]) => value);
}

function tokenProblem(request: Request, tokens: readonly string[]): string | undefined {
  const secret = findSecret(request);
  if (secret === undefined) return missingSecretProblem;
  const [token] = tokens;
  if (token === undefined || tokens.length > 1)
    return tokens.length > 1 ? "it had several tokens" : missingTokenProblem;
  return isTokenOf(secret, token) ? undefined : "its token was wrong";
}
