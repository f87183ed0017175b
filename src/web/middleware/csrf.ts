import { Log } from "../../log/index.ts";
import { originSet } from "./origin-set.ts";
import { isCsrfChecked } from "../csrf/configuration.ts";
import { markGuarded } from "../csrf/guard.ts";
import { isForeign, isSafeMethod } from "../csrf/provenance.ts";
import { isSecret, isTokenOf, secretKey } from "../csrf/token.ts";
import { showsDetails } from "../errors/development-page/shows-details.ts";
import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { type FormEntries, isForm, isMultipart, type Request } from "../../http/message/index.ts";
import { SessionState } from "../session/session-state.ts";
import { factory, type Factory } from "./factory.ts";

/** What is checked, and what happens to what fails. */
export interface CsrfOptions {
  /**
   * Other origins that may send forms to us, as browsers write them: `https://pay.example.com`. They still need a token.
   * Default none.
   */
  readonly trustedOrigins?: readonly string[];
  /** Answers what was refused. Default: the error page of E_CSRF (403), or the problem document of it; in development with the reason. */
  readonly refused?: Handler;
}

const log = Log.source("limmat.web");
const noToken = "it had no token";

/**
 * Refuses requests that change something unless they come from a page of ours (OWASP CSRF Prevention Cheat Sheet).
 *
 * Methods other than GET, HEAD and OPTIONS must not come from another site, by `Sec-Fetch-Site` or else `Origin`, and
 * must bring the token that `Web.Csrf.find` gave a page of the same session: in the header `X-CSRF-Token`, or in the
 * field `csrf` of a form; of a form with files (`multipart/form-data`) before the first file, so that no file is received
 * before its sender is known. Needs the session middleware outside of it. Does nothing where
 * `FRAMEWORK_ENV` is set to `development` or `test` and `CHECK_CSRF` is not true.
 *
 * The factory throws E_ORIGIN_INVALID for a trusted origin that is none.
 */
export const csrf: Factory<CsrfOptions> = factory("csrf", (options) => {
  const trusted = originSet(options.trustedOrigins ?? []);
  const { refused } = options;

  const answer = (
    handler: Handler,
    request: Request,
    problem: string | undefined,
  ): HandlerResult | Promise<HandlerResult> => {
    if (problem === undefined) return handler(request);
    log.warning(`A request was refused by the CSRF check: ${problem}`, { method: request.method, path: request.path });
    if (refused === undefined) throw errors.E_CSRF(showsDetails() ? problem : undefined);
    return refused(request);
  };

  const answerForm = async (handler: Handler, request: Request): Promise<HandlerResult> =>
    await answer(handler, request, problemOf(request, tokensOf(await request.form())));

  const answerUpload = async (handler: Handler, request: Request): Promise<HandlerResult> => {
    const problem = problemOf(request, tokensOf(await request.leadingFields()));
    return await answer(handler, request, problem === noToken ? `${noToken} before its first file` : problem);
  };

  const middleware: Middleware = (handler) => (request) => {
    if (isSafeMethod(request.method)) return handler(request);
    markGuarded(request);
    if (!isCsrfChecked()) return handler(request);
    if (isForeign(provenanceOf(request), trusted)) return answer(handler, request, "it came from another site");
    const header = request.header("x-csrf-token");
    if (header !== undefined) return answer(handler, request, problemOf(request, [header]));
    const type = request.header("content-type");
    if (isForm(type)) return answerForm(handler, request);
    if (isMultipart(type)) return answerUpload(handler, request);
    return answer(handler, request, "it had no X-CSRF-Token");
  };
  return middleware;
});

function provenanceOf(request: Request): Parameters<typeof isForeign>[0] {
  return {
    method: request.method,
    site: request.header("sec-fetch-site"),
    origin: request.header("origin"),
    host: request.header("host"),
  };
}

function tokensOf(form: FormEntries): readonly string[] {
  return form.filter(([name]) => name === "csrf").map(([, value]) => value);
}

function problemOf(request: Request, tokens: readonly string[]): string | undefined {
  const secret = SessionState.of(request).content.reserved.get(secretKey);
  if (!isSecret(secret)) return "its session has no token";
  const [token] = tokens;
  if (token === undefined || tokens.length > 1) return tokens.length > 1 ? "it had several tokens" : noToken;
  return isTokenOf(secret, token) ? undefined : "its token was wrong";
}
