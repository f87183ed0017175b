import { LanguageInternals, type LanguageValue } from "../../language/index.ts";
import { parseWeights, withVary } from "../../http/caching/index.ts";
import { HeaderList, type Key, Request, Response } from "../../http/message/index.ts";
import { mapResponse, type Middleware } from "../../http/router/index.ts";
import { withName } from "./factory.ts";

/** Options of `Web.Middleware.language`. */
export interface LanguageOptions {
  /**
   * True if the first segment of a path names its language: `/de/products` for the route `/products`. Links of `Request.prefix` and
   * `link` keep it. A path without one has the base language. Default: false, pages have one address in all languages.
   */
  readonly inPath?: boolean;
  /** Name of the cookie with the language that a user has chosen. Default `language`. */
  readonly cookie?: string;
  /** Returns the language range of the user's account, such as `de-CH`. It has precedence over cookie and browser. */
  readonly account?: (request: Request) => string | undefined;
  /** Returns the IANA time zone of the user, for times on pages and in texts. An unknown one counts as none. */
  readonly timeZone?: (request: Request) => string | undefined;
}

/** Language of a request, and how its pages link to the others. */
export interface RequestLanguage {
  readonly language: string;
  readonly timeZone: string | undefined;
  readonly languages: LanguageValue;
  readonly isInPath: boolean;
  /** Path prefix of links in the base language. */
  readonly basePrefix: string;
  /** Header names that the language was chosen by. */
  readonly vary: readonly string[];
}

/** Key of the language of a request. */
export const requestLanguage: Key<RequestLanguage> = Request.key("language");

/** Key of a function that chooses the language of a request which has not reached the middleware, without the user's account. */
const chooser: unique symbol = Symbol("limmat.language");

interface LanguageMiddleware extends Middleware {
  readonly [chooser]?: (request: Request) => void;
}

/**
 * Enters the language of a request in code that runs outside of the middleware, such as its error page. For a request that has
 * not reached the middleware, it is chosen now by one of `middlewares`.
 */
export function enterRequestLanguage(request: Request, middlewares: readonly Middleware[] = []): void {
  if (request.get(requestLanguage) === undefined)
    for (const middleware of middlewares as readonly LanguageMiddleware[]) middleware[chooser]?.(request);
  const locale = request.get(requestLanguage);
  if (locale !== undefined) LanguageInternals.enter({ language: locale.language, timeZone: locale.timeZone });
}

/** Returns the response with `Content-Language`, and with `Vary` for what the language of the request was chosen by. */
export function withLanguageHeaders(request: Request, response: Response): Response {
  const chosen = request.get(requestLanguage);
  if (chosen === undefined) return response;
  return chosen.vary.reduce(
    withVary,
    response.withDefaultHeaders(new HeaderList(["content-language", chosen.language])),
  );
}

/** Seconds for which a browser keeps the chosen language. */
const cookieMaxAgeSeconds = 31_536_000;

/**
 * Chooses the language of each request from its path (`inPath`), or from the account, the cookie and `Accept-Language` (RFC 9110
 * §12.5.4), in this order. Without one, it is the base language. `Language.current()` returns it to all code that the request runs.
 * The response says `Content-Language`, and `Vary` for what was read.
 *
 * A link with the query `language=de` chooses a language: it sets the cookie and redirects to the page without the query.
 *
 * List it in `middlewares` of `Web.Http.service`, before those that use texts: it runs before the router then.
 */
export function language(languages: LanguageValue, options: LanguageOptions = {}): Middleware {
  const { inPath = false, cookie = "language", account, timeZone } = options;
  const knownTimeZone = LanguageInternals.timeZoneFinder();
  const find = (tag: string | undefined): string | undefined =>
    tag === undefined ? undefined : languages.match([tag]);
  /** Chooses the language of a request, and returns the request without it in the path. */
  const choose = (received: Request, isRefused: boolean): Request | Response => {
    let request = received;
    let found: string | undefined;
    let vary: readonly string[] = [];
    const basePrefix = received.prefix;
    if (inPath) {
      const [, first = ""] = /^\/([^/]*)/.exec(request.path) ?? [];
      found = languages.all.find((name) => name === first && name !== languages.base);
      if (found !== undefined) {
        request = request.with({
          path: request.path.slice(found.length + 1) || "/",
          prefix: `${request.prefix}/${found}`,
        });
      }
      found ??= languages.base;
    } else {
      const isLink = !isRefused && (request.method === "GET" || request.method === "HEAD");
      const chosen = isLink && request.target.includes("language=") ? request.query.get("language") : null;
      if (chosen !== null && languages.all.includes(chosen)) return redirectWithCookie(request, cookie, chosen);
      vary = ["cookie", "accept-language"];
      found = (isRefused ? undefined : find(account?.(request))) ?? find(request.cookie(cookie));
      found ??= languages.match(parseAcceptLanguage(request.header("accept-language"))) ?? languages.base;
    }
    const locale = { language: found, timeZone: isRefused ? undefined : knownTimeZone(timeZone?.(request)) };
    request.set(requestLanguage, { ...locale, languages, isInPath: inPath, basePrefix, vary });
    return request;
  };
  const middleware = withName("language", (handler) => (received) => {
    const request = choose(received, false);
    if (request instanceof Response) return request;
    enterRequestLanguage(request);
    return mapResponse(handler(request), (response) => withLanguageHeaders(request, response));
  });
  return Object.assign(middleware, { [chooser]: (request: Request) => void choose(request, true) });
}

function redirectWithCookie(request: Request, name: string, value: string): Response {
  const query = new URLSearchParams(request.query);
  query.delete("language");
  const target = request.target.split("?", 1)[0] as string;
  const location = query.size === 0 ? target : `${target}?${query.toString()}`;
  return Response.redirect(location.startsWith("/") && !location.startsWith("//") ? location : "/").withCookie({
    name,
    value,
    path: "/",
    maxAge: cookieMaxAgeSeconds,
    secure: request.scheme === "https",
  });
}

/**
 * Returns the language ranges of an `Accept-Language` header, best first (RFC 9110 §12.5.4). Refused ones (`q=0`) are left out, as is
 * `*`: the base language is then the answer.
 */
function parseAcceptLanguage(header: string | undefined): readonly string[] {
  return parseWeights(header ?? "")
    .filter(([range, weight]) => weight > 0 && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/.test(range))
    .toSorted(([, a], [, b]) => b - a)
    .map(([range]) => range);
}
