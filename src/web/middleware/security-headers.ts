import { Configuration } from "../../config/index.ts";
import { mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, Key, type Request, type Response } from "../../http/message/index.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";
import { RandomInternals } from "../../random/index.ts";
import { preventNotModified } from "../../http/caching/index.ts";

/** Directives of a content security policy, such as `{ "img-src": "'self' https://images.example.com" }`. */
export type ContentSecurityPolicy = Readonly<Record<string, string | undefined>>;

/** Options of the security headers middleware. */
export interface SecurityHeadersOptions {
  /** Directives that extend or replace the default ones; `undefined` removes one, `false` sends no policy. */
  readonly contentSecurityPolicy?: ContentSecurityPolicy | false;
  /**
   * Directives of a second policy, which blocks nothing: the browser reports what it would block. They extend or replace the
   * default ones; `{}` reports by the default policy. Default: no second policy.
   */
  readonly reportOnlyPolicy?: ContentSecurityPolicy;
  /** Path or URL to which browsers post what a policy blocks, or would block (`report-uri` and `report-to`). Default none. */
  readonly reportUrl?: string;
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
    const middleware: Middleware = (handler) => (request) =>
      mapResponse(handler(request), (response) => addHeaders(request, response));
    return Object.assign(middleware, { [addHeadersKey]: addHeaders });
  },
);

function securityHeadersAdder(options: Partial<SecurityHeadersOptions>): AddHeaders {
  const { reportUrl } = options;
  const headers = {
    ...(reportUrl !== undefined && { "reporting-endpoints": `${reportEndpoint}="${reportUrl}"` }),
    ...Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const baseHeaders = HeaderList.from({ ...defaultHeaders, ...headers });
  const policies = policiesOf(options);
  const transportSecurity = `max-age=63072000${options.includeSubDomains === true ? "; includeSubDomains" : ""}`;
  const baseHeadersWithHsts = HeaderList.from({
    ...defaultHeaders,
    "strict-transport-security": transportSecurity,
    ...headers,
  });
  const headersWithPolicy = withPolicies(baseHeaders, policies);
  const headersWithPolicyAndHsts = withPolicies(baseHeadersWithHsts, policies);

  return (request, response) => {
    const pageNonce = request.get(nonceKey);
    const hasHsts = request.scheme === "https" && Configuration.environment() === "production";
    if (pageNonce === undefined)
      return response.withDefaultHeaders(hasHsts ? headersWithPolicyAndHsts : headersWithPolicy);
    const base = hasHsts ? baseHeadersWithHsts : baseHeaders;
    const withPageNonce = policies.map(([name, policy]) => [name, withNonce(policy, pageNonce)] as const);
    return response.withDefaultHeaders(withPolicies(base, withPageNonce));
  };
}

/** Name of the endpoint of reports (Reporting API §3.3). */
const reportEndpoint = "csp";

/** Content security policies by the name of their header. */
type Policies = readonly (readonly [header: string, policy: ContentSecurityPolicy])[];

function policiesOf({ contentSecurityPolicy, reportOnlyPolicy, reportUrl }: SecurityHeadersOptions): Policies {
  // Browsers that know `report-to` ignore `report-uri`.
  const reporting = reportUrl !== undefined && { "report-uri": reportUrl, "report-to": reportEndpoint };
  const policyOf = (policy: ContentSecurityPolicy = {}): ContentSecurityPolicy => ({
    ...defaultPolicy,
    ...reporting,
    ...policy,
  });
  return [
    ["content-security-policy", contentSecurityPolicy === false ? {} : policyOf(contentSecurityPolicy)],
    ["content-security-policy-report-only", reportOnlyPolicy === undefined ? {} : policyOf(reportOnlyPolicy)],
  ];
}

const withPolicies = (headers: HeaderList, policies: Policies): HeaderList =>
  policies.reduce((list, [name, policy]) => withPolicy(list, name, policy), headers);

/** Replaces a content security policy of the headers. Without directives, they stay as they are. */
function withPolicy(headers: HeaderList, name: string, policy: ContentSecurityPolicy): HeaderList {
  const directives = Object.entries(policy).filter(([, value]) => value !== undefined);
  if (directives.length === 0) return headers;
  const value = directives.map(([directive, sources]) => `${directive} ${sources}`.trim()).join("; ");
  const others = headers.filter((field) => field !== name);
  return new HeaderList([...others.flat, ...HeaderList.from({ [name]: value }).flat]);
}

function withNonce(policy: ContentSecurityPolicy, pageNonce: string): ContentSecurityPolicy {
  const allow = (directive: string): ContentSecurityPolicy => {
    const sources = policy[directive];
    if (sources === undefined) return {};
    return { [directive]: `${sources === "'none'" ? "" : sources} 'nonce-${pageNonce}'`.trim() };
  };
  return { ...policy, ...allow("script-src"), ...allow("style-src") };
}

const nonceKey: Key<string> = new Key("nonce");

/**
 * Returns the nonce for inline scripts and styles of this page, which is new for each request (CSP Level 3 §2.3.1).
 *
 * The security headers allow a nonce only after a call of this function.
 *
 * @example
 * html`<script nonce="${Web.nonce(request)}">${html.json(data)}</script>`;
 */
export function nonce(request: Request): string {
  const existingNonce = request.get(nonceKey);
  if (existingNonce !== undefined) return existingNonce;
  const newNonce = RandomInternals.base64url(16);
  request.set(nonceKey, newNonce);
  preventNotModified(request);
  return newNonce;
}
