import { Configuration } from "../../config/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, type Request, type Response } from "../../http/message/index.ts";
import { nonceOf } from "./nonce.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Directives of a content security policy, such as `{ "img-src": "'self' https://images.example.com" }`. */
export type ContentSecurityPolicy = Readonly<Record<string, string | undefined>>;

/** Options of the security headers middleware. */
export interface SecurityHeadersOptions {
  /** Directives that extend or replace the default ones; `undefined` removes one, `false` sends no policy. */
  readonly contentSecurityPolicy?: ContentSecurityPolicy | false;
  /** Headers that extend or replace the default ones; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /**
   * True if `Strict-Transport-Security` covers all subdomains of the host. Browsers then refuse every subdomain that does not
   * support https, for two years. Default false.
   */
  readonly includeSubDomains?: boolean;
}

const defaultPolicy: ContentSecurityPolicy = {
  "default-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'self'",
  "img-src": "'self' data:",
  "object-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
};

const defaultHeaders: Readonly<Record<string, string | undefined>> = {
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-content-type-options": "nosniff",
};

/** Adds the security headers to a response. */
type AddHeaders = (request: Request, response: Response) => Response;

const addHeadersKey: unique symbol = Symbol("adds the security headers");

interface SecurityHeadersMiddleware extends Middleware {
  readonly [addHeadersKey]?: AddHeaders;
}

/** Returns the function by which a middleware adds security headers; `undefined` for any other middleware. */
export const headersAdderOf = (middleware: SecurityHeadersMiddleware): AddHeaders | undefined =>
  middleware[addHeadersKey];

/**
 * Adds security headers to every response, including error pages and files (OWASP ASVS 3.4). List it with options in the
 * `middlewares` of `Web.Http.service`: it then replaces the default one, for error pages as well.
 *
 * The content security policy allows content of this origin, and inline scripts and styles only with
 * `Web.nonce(request)`. The other headers are `X-Content-Type-Options: nosniff`, a `Referrer-Policy` that sends only the
 * origin to other sites, and `Cross-Origin-Opener-Policy: same-origin`. In production over https,
 * `Strict-Transport-Security` for two years is added, with `includeSubDomains` if that option is set. Headers that a response already has are kept.
 */
export const securityHeaders: MiddlewareFactory<SecurityHeadersOptions> = middlewareFactory(
  "securityHeaders",
  (options) => {
    const addHeaders = securityHeadersAdder(options);
    const middleware: Middleware = (handler: Handler) => (request: Request) =>
      mapResponse(handler(request), (response) => addHeaders(request, response));
    return Object.assign(middleware, { [addHeadersKey]: addHeaders });
  },
);

function securityHeadersAdder(options: Partial<SecurityHeadersOptions>): AddHeaders {
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const baseHeaders = HeaderList.from({ ...defaultHeaders, ...headers });
  const policy = options.contentSecurityPolicy === false ? {} : { ...defaultPolicy, ...options.contentSecurityPolicy };
  const transportSecurity = `max-age=63072000${options.includeSubDomains === true ? "; includeSubDomains" : ""}`;
  const baseHeadersWithHsts = HeaderList.from({
    ...defaultHeaders,
    "strict-transport-security": transportSecurity,
    ...headers,
  });
  const headersWithPolicy = withPolicy(baseHeaders, policy);
  const headersWithPolicyAndHsts = withPolicy(baseHeadersWithHsts, policy);

  return (request, response) => {
    const nonce = nonceOf(request);
    const hasHsts = request.scheme === "https" && Configuration.environment() === "production";
    if (nonce === undefined) return response.withDefaultHeaders(hasHsts ? headersWithPolicyAndHsts : headersWithPolicy);
    return response.withDefaultHeaders(
      withPolicy(hasHsts ? baseHeadersWithHsts : baseHeaders, withNonce(policy, nonce)),
    );
  };
}

/** Replaces the content security policy of the headers. Without directives, they stay as they are. */
function withPolicy(headers: HeaderList, policy: ContentSecurityPolicy): HeaderList {
  const name = "content-security-policy";
  const directives = Object.entries(policy).filter(([, value]) => value !== undefined);
  if (directives.length === 0) return headers;
  const value = directives.map(([directive, sources]) => `${directive} ${sources}`.trim()).join("; ");
  const others = headers.filter((field) => field !== name);
  return new HeaderList([...others.flat, ...HeaderList.from({ [name]: value }).flat]);
}

function withNonce(policy: ContentSecurityPolicy, nonce: string): ContentSecurityPolicy {
  const allow = (directive: string): ContentSecurityPolicy => {
    const sources = policy[directive];
    return sources === undefined
      ? {}
      : { [directive]: `${sources === "'none'" ? "" : sources} 'nonce-${nonce}'`.trim() };
  };
  return { ...policy, ...allow("script-src"), ...allow("style-src") };
}
