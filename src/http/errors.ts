import { type Catalogue, catalogue } from "../core/limmat-error.ts";

const list = (values: readonly string[]): string => values.join(", ");

const entries = {
  E_TARGET_MALFORMED: { status: 400, message: (reason: string): string => `The request target ${reason}.` },
  E_REQUEST_MALFORMED: { status: 400, message: (reason: string): string => `The request ${reason}.` },
  E_TOO_MANY_PARAMETERS: {
    status: 400,
    message: (where: string, limit: number): string => `The ${where} has more than ${limit} parameters.`,
  },
  E_BODY_MALFORMED: { status: 400, message: (reason: string): string => `The request body ${reason}.` },
  E_BODY_TOO_LARGE: {
    status: 413,
    message: (limit: number): string => `The request body is larger than ${limit} bytes.`,
  },
  E_BODY_TIMEOUT: { status: 408, message: (): string => "The request body did not arrive in time." },
  E_BODY_ENCODING: {
    status: 415,
    message: (encoding: string): string =>
      `The request body is encoded with "${encoding}". Send it without Content-Encoding.`,
  },
  E_CONTENT_TYPE: {
    status: 415,
    message: (given: string | undefined, wanted: string): string =>
      `The request body has ${given === undefined ? "no Content-Type" : `the type "${given}"`}. Send it as ${wanted}.`,
  },
  E_BODY_USED: {
    message: (): string =>
      "The request body was already taken as a stream. Use either `body`, or text(), json(), bytes() and form().",
  },
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
  E_PART_GONE: {
    message: (name: string): string =>
      `The file in the field ${JSON.stringify(name.slice(0, 100))} can be read once, and only until the next part is asked for.`,
  },
  E_CLIENT_GONE: { message: (): string => "The client went away before the request or its answer was complete." },
  E_NOT_FOUND: {
    status: 404,
    message: (unrouted?: string): string =>
      "There is nothing at this address." +
      (unrouted === undefined ? "" : ` No route answers ${unrouted}: the command routes shows which there are.`),
  },
  E_METHOD_NOT_ALLOWED: {
    status: 405,
    message: (method: string, allowed: readonly string[]): string =>
      `This address does not answer ${method}, only ${list(allowed)}.`,
  },
  E_ROUTE_PATH: {
    message: (path: string, reason: string): string => `The route path "${path}" is not right: ${reason}.`,
  },
  E_ROUTE_TAKEN: {
    message: (method: string, first: string, second: string): string =>
      first === second
        ? `Two routes answer ${method} ${first}. Remove one of them, or give one a scope of its own.`
        : `Two routes answer ${method} of one path: "${first}" and "${second}". Remove one of them, or give one a scope of its own.`,
  },
  E_ROUTE_NAME_TAKEN: {
    message: (name: string, first: string, second: string): string =>
      `Two routes have the name "${name}": "${first}" and "${second}". Rename one of them: those of a resource by \`routeName\`.`,
  },
  E_ROUTE_PARAMETER_TWICE: {
    message: (path: string, name: string): string =>
      `The route "${path}" has two parameters called "${name}". Rename one of them.`,
  },
  E_METHOD_UNKNOWN: {
    status: 501,
    message: (method: string): string => `This site does not know the method ${method}.`,
  },
  E_EXPECTATION: {
    status: 417,
    message: (given: string): string => `The expectation ${JSON.stringify(given)} is not known. Known is 100-continue.`,
  },
  E_HEADERS_TOO_MANY: {
    status: 431,
    message: (limit: number): string => `The request has more than ${limit} header lines.`,
  },
  E_PORT_TAKEN: {
    message: (host: string, port: number): string =>
      `Port ${port} of ${host} is taken by another program. End that program, or set PORT to another number.`,
  },
  E_PORT_FORBIDDEN: {
    message: (host: string, port: number): string =>
      `This user may not listen on port ${port} of ${host}. Set PORT to a number above 1023.`,
  },
  E_LINK_UNKNOWN: {
    message: (name: string, known: readonly string[]): string =>
      `No route has the name "${name}". ${known.length === 0 ? "None has a name yet." : `Known are: ${list(known)}.`}`,
  },
  E_LINK_PARAMETER: {
    message: (name: string, parameter: string): string =>
      `The link to "${name}" needs the parameter "${parameter}": text that is not empty and can be one path segment.`,
  },
  E_EVENT_INVALID: {
    message: (part: string): string => `An event's ${part} cannot be sent: it holds a line break or a NUL.`,
  },
  E_OVERLOADED: { status: 503, message: (): string => "The server has more requests than it can answer in time." },
  E_HOST_NOT_ALLOWED: {
    status: 400,
    message: (host: string): string => `This server does not answer for the host ${JSON.stringify(host)}.`,
  },
  E_SOCKET_TAKEN: {
    message: (path: string): string =>
      `Another program listens on the socket "${path}". End that program, or set SOCKET to another path.`,
  },
  E_SOCKET_FORBIDDEN: {
    message: (path: string): string =>
      `The socket "${path}" cannot be made. Its folder must exist and be open to this user.`,
  },
  E_TLS: {
    message: (reason: string): string =>
      `TLS cannot be served: ${reason}. TLS_CERT and TLS_KEY name two PEM files that belong together.`,
  },
  E_HOST_UNKNOWN: {
    message: (host: string): string =>
      `HOST is "${host}", which is no address of this machine. Set it to one, such as 127.0.0.1 (this machine only) ` +
      "or 0.0.0.0 (all networks).",
  },
  E_HOST_UNPROTECTED: {
    message: (host: string): string =>
      `HOST is "${host}", which other machines can reach, but neither FRAMEWORK_ENV nor FRAMEWORK_SECRET is set, so that ` +
      "anybody could forge sessions. Set both (the command random makes a secret), or HOST to 127.0.0.1.",
  },
  E_HEADER_INVALID: {
    message: (name: string): string =>
      `The header ${JSON.stringify(name)} cannot be sent: a name is a token of RFC 9110, and a value holds printable ` +
      "Latin-1 characters, spaces and tabs, no line breaks. Encode the value first.",
  },
  E_COOKIE_INVALID: {
    message: (name: string, part: string): string =>
      `The cookie ${JSON.stringify(name)} cannot be sent: its ${part} is not allowed by RFC 6265. Encode the value ` +
      "first, for example with encodeURIComponent.",
  },
  E_REDIRECT_EXTERNAL: {
    message: (to: string): string =>
      `The redirect to ${JSON.stringify(to)} leaves this site. Give a path that begins with one slash, or, if the ` +
      "target does not come from a request, an http or https URL with { external: true }.",
  },
  E_STATUS_INVALID: {
    message: (status: number): string =>
      `${status} is no status of a final response. Use a whole number from 200 to 599.`,
  },
  E_HTML_UNSAFE: {
    message: (): string =>
      "Response.html was given something other than the result of html`...`. Text that is not escaped by the template " +
      "is not sent as a page.",
  },
  E_RESPONSE_MISSING: {
    message: (given: string): string =>
      `A handler gave ${given} instead of a response. Return a Web.Response or a web-standard Response.`,
  },
  E_FILE_UNREADABLE: { message: (path: string): string => `The file "${path}" could not be sent.` },
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
