import { type Catalogue, catalogue } from "../core/limmat-error.ts";
import { LanguageInternals } from "../language/index.ts";

const entries = {
  E_METHOD_OVERRIDE: {
    status: 400,
    message: 'The field "_method" must be given once, and be put, patch or delete.',
  },
  E_CSRF: {
    status: 403,
    message: (hint = ""): string =>
      `This form could not be checked, so nothing was changed. Go back, reload the page and send it again.${hint}`,
  },
  E_ORIGIN_INVALID: (origin: string): string =>
    `${JSON.stringify(origin)} is not an origin. Write scheme and host, and the port if it is not the default one: ` +
    "https://example.com or https://example.com:8443.",
  E_CORS_CREDENTIALS:
    "Requests with credentials cannot be allowed from all origins. List the origins, or leave credentials out.",
  E_BASIC_AUTH: { status: 401, message: "A correct name and password are required." },
  E_NOT_MIGRATED: {
    status: 503,
    message: (names: readonly string[]): string =>
      `Migrations have not run: ${names.join(", ")}. Run the command "migrate".`,
  },
  E_TOO_MANY_REQUESTS: {
    status: 429,
    message: "Too many requests. Wait a moment before you send the next one.",
  },
  E_FAILURE: (detail: string): string => detail,
  E_HANDLER_TIMEOUT: {
    status: 503,
    message: (timeoutMs: number): string => `The handler did not return a response within ${timeoutMs} ms.`,
  },
  E_REQUEST_LIMIT_UNAVAILABLE: {
    status: 503,
    message: "The store that counts requests does not answer, and this limit refuses requests that it cannot count.",
  },
  E_REQUEST_LIMIT_INVALID: (): string =>
    "A request limit needs a whole number above 0 as its limit, a period above 0 in milliseconds, and a name of " +
    "letters, digits, dots and dashes.",
  E_SESSION_LOCKED: {
    status: 503,
    message: (waitMs: number): string => `Another request of this session took longer than ${waitMs} ms.`,
  },
  E_SESSION_STORE: "The session option lockWaitMs needs the option store: a session in the cookie cannot be locked.",
  E_SESSION_SCHEMA: (key: string): string =>
    `The schema of the session field "${key}" is asynchronous. Use a synchronous one.`,
  E_SESSION_MISSING:
    "This route has no session. Add Web.Middleware.session(), which is part of Web.Middleware.site(), to its router.",
  E_SESSION_TOO_LARGE: (limit: number): string =>
    `The session does not fit into a cookie of ${limit} bytes with name and signature, which leaves 2,900 bytes of ` +
    "content. Keep the data in the database or the cache, and only a reference in the session.",
  E_COOKIE_TOO_LARGE: (name: string, limit: number): string =>
    `The text of the cookie ${JSON.stringify(name)} does not fit into ${limit} bytes with name and protection. Keep it in ` +
    "the database or the cache, and only a reference in the cookie.",
  E_FLASH_MISSING:
    "This route has no flash. Add Web.Middleware.flash(), which is part of Web.Middleware.site(), to its router.",
  E_FLASH_TOO_LARGE: (limit: number): string =>
    `The flash messages do not fit into a cookie of ${limit} bytes with name and signature, which leaves 2,900 bytes ` +
    "of content. Shorten them, and show the details on the next page.",
  E_CSRF_MISSING: (): string =>
    "This route accepts forms without a CSRF check. Add Web.Middleware.csrf(), which is part of " +
    "Web.Middleware.site(), to its router.",
  E_QUERY_INVALID: {
    status: 400,
    message: (key: string, rule: LanguageInternals.InnerText): string =>
      `The parameter "${key}" of the query ${rule(LanguageInternals.englishTexts)}.`,
  },
  E_QUERY_RULES: (name: string, rule: string): string =>
    `A list cannot have the filter or sort column "${name}": ${rule}. Choose another name.`,
  E_FORM_INVALID: { status: 422, message: (reason: string): string => reason },
  E_DELETE_REFUSED: { status: 409, message: (reason: string): string => reason },
  E_IF_MATCH_INVALID: {
    status: 400,
    message: 'The header If-Match is malformed. Send "*", or entity tags in quotes, such as the ETag of the item.',
  },
  E_PRECONDITION_FAILED: {
    status: 412,
    message: (): string =>
      "The item is not in the state that the request expects, so nothing was changed. Read it again, and repeat the " +
      "change with its new version.",
  },
  E_PRECONDITION_REQUIRED: {
    status: 428,
    message: (): string =>
      "The item has versions, and the request does not say which one it changes, so nothing was changed. Send the ETag " +
      'of the item in If-Match, or its "version" in the body.',
  },
  E_VERSION_STALE: {
    status: 409,
    message: (): string =>
      "Someone else has changed this item since its version was read, so nothing was changed. Read it again, and repeat " +
      "the change with its new version.",
  },
  E_VERSION_INVALID: (name: string, version: unknown): string =>
    `An item of the resource ${JSON.stringify(name)} has the version ${String(version)}. A version is a whole number ` +
    "from 0 to 2^53 - 1. If the property is no version, set the option versions: false.",
  E_RESOURCE_FOREIGN: (name: string, operation: string): string =>
    `The service of the resource ${JSON.stringify(name)} returned an item from ${operation} that belongs to another parent, or that the visitor may not see. ` +
    "It must use `params` of its options, and `where` of the policy, in its conditions.",
  E_RESOURCE_MISSING:
    "This request belongs to no resource, so that it has no list path. Build the path with Web.link, or write it with request.prefix.",
  E_RESOURCE_INVALID: (name: string, problem: string): string =>
    `The resource ${JSON.stringify(name)} is not valid: ${problem}.`,
  E_OPENAPI_SCHEMA: (vendor: string, operation: string): string =>
    `The OpenAPI document cannot be written: at ${operation}, a schema of "${vendor}" gives no JSON Schema. Use a version ` +
    "of that library that implements Standard JSON Schema, or write the JSON Schema by hand.",
  E_OPENAPI_MISSING: (host: string | undefined): string =>
    `No route serves an OpenAPI document${host === undefined ? "" : ` for the host ${JSON.stringify(host)}`}. ` +
    "Add Web.OpenApi.router({ title, version }) to the router.",
  E_COMPONENT_FIELD: (name: string): string =>
    `The schema has no field ${JSON.stringify(name)}. Use a name of its fields, "address.street" for a field of a nested ` +
    'record, and "lines.0.title" for a field in a list.',
  E_COMPONENT_TYPE: (name: string, type: string): string =>
    `The field ${JSON.stringify(name)} cannot be rendered as "${type}", because it has no choices. Pass the option ` +
    '"choices", or use Schema.oneOf.',
  E_ASSET_MISSING: (path: string, source: string | undefined, similar: string | undefined): string =>
    source === undefined
      ? `There is no file "${path}". ${similar === undefined ? "Add" : `Did you mean "${similar}"? Otherwise add`} the file, or correct PUBLIC_DIR or the name.`
      : `There is no file "${path}", and ${source} is not built. Run the command "assets" before the server starts.`,
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
