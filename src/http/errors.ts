import { type Catalogue, catalogue } from "../core/limmat-error.ts";
import { suppressUnhandledRejection } from "../core/index.ts";

const entries = {
  E_TARGET_MALFORMED: { status: 400, message: (reason: string): string => `The request target ${reason}.` },
  E_REQUEST_MALFORMED: { status: 400, message: (reason: string): string => `The request ${reason}.` },
  E_TOO_MANY_PARAMETERS: {
    status: 400,
    message: (source: string, limit: number): string => `The ${source} has more than ${limit} parameters.`,
  },
  E_BODY_MALFORMED: { status: 400, message: (reason: string): string => `The request body ${reason}.` },
  E_BODY_TOO_LARGE: {
    status: 413,
    message: (limit: number): string => `The request body is larger than ${limit} bytes.`,
  },
  E_BODY_TIMEOUT: { status: 408, message: "The request body did not arrive in time." },
  E_BODY_FRAGMENTED: {
    status: 400,
    message:
      "The request body arrived in too many tiny chunks: less than 4 bytes each, on average. Send larger chunks.",
  },
  E_BODY_ENCODING: {
    status: 415,
    message: (encoding: string): string =>
      `The request body is encoded with "${encoding}". Send it without Content-Encoding.`,
  },
  E_CONTENT_TYPE: {
    status: 415,
    message: (contentType: string | undefined, wanted: string): string =>
      `The request body has ${contentType === undefined ? "no Content-Type" : `the type "${contentType}"`}. Send it as ${wanted}.`,
  },
  E_BODY_USED:
    "The request body was already read as a stream. Use either `body`, or text(), json(), bytes() and form().",
  E_TOO_MANY_FILES: { status: 413, message: (limit: number): string => `The form has more than ${limit} files.` },
  E_FILE_TOO_LARGE: {
    status: 413,
    message: (name: string, limit: number): string =>
      `The file in the field ${JSON.stringify(name.slice(0, 100))} is larger than ${limit} bytes.`,
  },
  E_FIELDS_TOO_LARGE: {
    status: 413,
    message: (limit: number): string => `The fields of the form are larger than ${limit} bytes.`,
  },
  E_PART_GONE: (name: string): string =>
    `The file in the field ${JSON.stringify(name.slice(0, 100))} can be read only once, and only before the next part is requested.`,
  E_CLIENT_GONE: "The client disconnected before the request or its response was complete.",
  E_NOT_FOUND: {
    status: 404,
    message: (hint = ""): string => `There is nothing at this address.${hint}`,
  },
  E_METHOD_NOT_ALLOWED: {
    status: 405,
    message: (method: string, allowed: readonly string[]): string =>
      `This address does not support ${method}, only ${allowed.join(", ")}.`,
  },
  E_NOT_ACCEPTABLE: {
    status: 406,
    message: (types: readonly string[]): string =>
      `This address offers ${types.join(", ")} only. Change the Accept header.`,
  },
  E_ROUTE_PATH: (path: string, reason: string): string => `The route path "${path}" is invalid: ${reason}.`,
  E_ROUTE_INVALID: (subject: string, problem: string, advice: string): string =>
    `The ${subject} is invalid: ${problem}. ${advice}.`,
  E_ROUTE_TAKEN: (method: string, first: string, second: string): string =>
    first === second
      ? `Two routes have the method and path ${method} ${first}. Remove one of them, or move one to another scope.`
      : `Two routes match ${method} on the same path: "${first}" and "${second}". Remove one of them, or move one to another scope.`,
  E_ROUTE_NAME_TAKEN: (name: string, first: string, second: string): string =>
    `Two routes have the name "${name}": "${first}" and "${second}". Rename one of them. The option of a resource is \`routeName\`.`,
  E_ROUTE_PARAMETER_TWICE: (path: string, name: string): string =>
    `The route "${path}" has two parameters named "${name}". Rename one of them.`,
  E_METHOD_UNKNOWN: {
    status: 501,
    message: (method: string): string => `This server does not support the method ${method}.`,
  },
  E_EXPECTATION: {
    status: 417,
    message: (expectation: string): string =>
      `The expectation ${JSON.stringify(expectation)} is not supported. Only 100-continue is.`,
  },
  E_HEADERS_TOO_MANY: {
    status: 431,
    message: (limit: number): string => `The request has more than ${limit} header lines.`,
  },
  E_PORT_TAKEN: (host: string, port: number): string =>
    `Port ${port} of ${host} is used by another program. Stop that program, or set PORT to another number.`,
  E_PORT_FORBIDDEN: (host: string, port: number): string =>
    `This user may not listen on port ${port} of ${host}. Set PORT to a number above 1023.`,
  E_LINK_UNKNOWN: (name: string, names: readonly string[], similar: string | undefined): string =>
    `No route has the name "${name}". ${similar === undefined ? "" : `Did you mean "${similar}"? `}${names.length === 0 ? "No route has a name yet." : `Route names: ${names.join(", ")}.`}`,
  E_LINK_PARAMETER: (name: string, parameter: string): string =>
    `The link to "${name}" needs the parameter "${parameter}": text that is not empty and fits into one path segment.`,
  E_EVENT_INVALID: (field: string): string =>
    `The ${field} of an event cannot be sent: it contains a line break or a NUL.`,
  E_OVERLOADED: { status: 503, message: "The server has more requests than it can answer in time." },
  E_HOST_NOT_ALLOWED: {
    status: 400,
    message: (host: string): string =>
      `This server does not serve the host ${JSON.stringify(host)}. If it is a name of the application, add it to ALLOWED_HOSTS.`,
  },
  E_SOCKET_TAKEN: (path: string): string =>
    `Another program listens on the socket "${path}". Stop that program, or set SOCKET to another path.`,
  E_SOCKET_FORBIDDEN: (path: string): string =>
    `The socket "${path}" cannot be created. Its folder must exist and be writable for this user.`,
  E_SERVER_OPTION: (option: string, problem: string): string => `The option ${option} of createServer ${problem}.`,
  E_TLS: (reason: string): string =>
    `TLS cannot be used: ${reason}. Set TLS_CERT and TLS_KEY to a matching pair of PEM files.`,
  E_HOST_UNKNOWN: (host: string): string =>
    `HOST is "${host}", which is not an address of this machine. Set it to one, such as 127.0.0.1 (this machine only) ` +
    "or 0.0.0.0 (all networks).",
  E_HOST_UNPROTECTED: (host: string): string =>
    `HOST is "${host}", which other machines can reach, but neither FRAMEWORK_ENV nor FRAMEWORK_SECRET is set, so that ` +
    "anybody could forge sessions. Set both (the command random generates a secret), or set HOST to 127.0.0.1.",
  E_HEADER_INVALID: (name: string): string =>
    `The header ${JSON.stringify(name)} cannot be sent: a name must be a token (RFC 9110), and a value may contain printable ` +
    "Latin-1 characters, spaces and tabs, but no line breaks. Encode the value first.",
  E_COOKIE_INVALID: (name: string, part: string): string =>
    `The cookie ${JSON.stringify(name)} cannot be sent: its ${part} is not allowed by RFC 6265. Encode the value ` +
    "first, for example with encodeURIComponent.",
  E_REDIRECT_EXTERNAL: (to: string, isRelative = false): string =>
    `The redirect to ${JSON.stringify(to)} ${isRelative ? "has no slash at the start" : "leaves this site"}. ` +
    "Use a path that begins with one slash. If the target does not come from a request, an http or https URL with " +
    "{ external: true } is allowed as well.",
  E_STATUS_INVALID: (status: number): string =>
    `${status} is not a status of a final response. Use an integer from 200 to 599.`,
  E_HTML_UNSAFE: (received: string, hint = ""): string =>
    `Response.html received ${received} that is not the result of html\`...\`.${hint} Write the page with html\`…\`, which ` +
    "escapes its values.",
  E_RESPONSE_MISSING: (returned: string, hint = ""): string =>
    `A handler returned ${returned} instead of a response.${hint} Return a Web.Response or a Fetch API Response.`,
  E_FILE_UNREADABLE: (path: string): string => `The file "${path}" could not be sent.`,
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

/** Describes a value of the wrong type for an error message: `undefined`, `a list`, `a promise`, `a value of type string`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof (value as { readonly then?: unknown }).then === "function") {
    suppressUnhandledRejection(value);
    return "a promise";
  }
  return typeof value === "function" ? "a function" : `a value of type ${typeof value}`;
}
