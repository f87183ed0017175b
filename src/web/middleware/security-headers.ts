import { Configuration } from "../../config/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, type Request } from "../../http/message/index.ts";
import { askedNonce } from "./nonce.ts";
import { factory, type Factory } from "./factory.ts";

/** Directives of a content security policy: `{ "img-src": "'self' https://images.example.com" }`. */
export type ContentSecurityPolicy = Readonly<Record<string, string | undefined>>;

/** What is sent. */
export interface SecurityHeadersOptions {
  /** Directives beside or in place of the default ones; `undefined` removes one; `false` sends no policy. */
  readonly contentSecurityPolicy?: ContentSecurityPolicy | false;
  /** Headers beside or in place of the default ones; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
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

/**
 * Sends the headers that make browsers careful, with every response, error pages and files included (OWASP ASVS 3.4).
 *
 * A content security policy that allows what comes from this origin and no inline scripts or styles but those that carry
 * `Web.nonce(request)`; `nosniff`; a `Referrer-Policy` that tells other sites the origin only; windows of other sites cut
 * off (`Cross-Origin-Opener-Policy`); in production over https also `Strict-Transport-Security` for two years. Headers
 * that a response has already are kept.
 */
export const securityHeaders: Factory<SecurityHeadersOptions> = factory("securityHeaders", (options) => {
  const plain = HeaderList.from({ ...defaultHeaders, ...options.headers });
  const policy = options.contentSecurityPolicy === false ? {} : { ...defaultPolicy, ...options.contentSecurityPolicy };
  const strictPlain = new HeaderList([...plain.flat, "strict-transport-security", "max-age=63072000"]);
  const standard = withPolicy(plain, policy);
  const strict = withPolicy(strictPlain, policy);

  const middleware: Middleware = (handler: Handler) => (request: Request) =>
    mapResponse(handler(request), (response) => {
      const nonce = askedNonce(request);
      const isStrict = request.scheme === "https" && Configuration.environment() === "production";
      if (nonce === undefined) return response.withDefaultHeaders(isStrict ? strict : standard);
      return response.withDefaultHeaders(withPolicy(isStrict ? strictPlain : plain, withNonce(policy, nonce)));
    });
  return middleware;
});

/** The headers with a policy in place of theirs. No directives are no policy. */
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
