import type { Middleware } from "../../http/router/index.ts";
import { contentLength } from "./content-length.ts";
import { csrf } from "./csrf.ts";
import { error } from "./error.ts";
import { etag } from "./etag.ts";
import { flash } from "./flash.ts";
import { id } from "./id.ts";
import { preferJson } from "./json.ts";
import { session } from "./session.ts";
import { staticFile } from "./static-file.ts";

export { basicAuth, type BasicAuthOptions } from "./basic-auth.ts";
export { bodyLimit, timeLimit } from "./limits.ts";
export { compression, type CompressionOptions } from "./compression.ts";
export { contentLength } from "./content-length.ts";
export { cors, type CorsOptions } from "./cors.ts";
export { csrf, type CsrfOptions } from "./csrf.ts";
export { error, type ErrorOptions, type ErrorReport, type ErrorReporter } from "./error.ts";
export { etag } from "./etag.ts";
export { flash, type FlashOptions } from "./flash.ts";
export { id } from "./id.ts";
export { preferJson as json } from "./json.ts";
export { language, type LanguageOptions } from "./language.ts";
export { methodOverride } from "./method-override.ts";
export { pendingMigrations, type PendingMigrationsOptions, type PendingStep } from "./pending-migrations.ts";
export { requestLimit, type RequestLimitOptions } from "./request-limit.ts";
export { type ContentSecurityPolicy, securityHeaders, type SecurityHeadersOptions } from "./security-headers.ts";
export { session, type SessionOptions } from "./session.ts";
export { staticFile, type StaticFileOptions } from "./static-file.ts";
export { trailingSlash } from "./trailing-slash.ts";

const siteStack: readonly Middleware[] = Object.freeze([
  id(),
  error(),
  contentLength(),
  etag(),
  staticFile(),
  session(),
  flash(),
  csrf(),
]);

const apiStack: readonly Middleware[] = Object.freeze([id(), error(), preferJson()]);

/** Returns the middlewares of a web site, the first outermost: id, error, content length, etag, static file, session, flash, CSRF. */
export function site(): readonly Middleware[] {
  return siteStack;
}

/** Returns the middlewares of a stateless JSON API, without cookies: id, error, and JSON for clients without a preference. */
export function api(): readonly Middleware[] {
  return apiStack;
}
