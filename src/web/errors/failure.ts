import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { isError, LimmatError } from "../../core/index.ts";
import { httpErrors, Key } from "../../http/message/index.ts";

/** Public part of a failed request, as the client sees it. */
export interface Failure {
  /** Status code, 400 to 599. */
  readonly status: number;
  /** Summary in one line. Default: the title of the status. */
  readonly title?: string;
  /** Advice for the user. Default: the text of the status. */
  readonly detail?: string;
  /** Error code, if it may be shown. */
  readonly code?: string;
  /** Messages by field of a form. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Code of a response's problem document, for the log. */
export const problemCode: Key<string | undefined> = new Key("code of the problem");

class FailureError extends LimmatError {
  readonly failure: Failure;

  constructor(publicPart: Failure) {
    const { status, code = "E_FAILURE", detail = explain(status)[1] } = publicPart;
    super(code, detail, { status });
    this.failure = publicPart;
  }
}

/**
 * Returns an error that ends a request with this status: `throw Web.failure(404)`. The client gets the error page, or a problem
 * document (RFC 9457) if it prefers JSON.
 *
 * Errors of domain code, which does not know the web, are of `LimmatError` with a status and a code of their own.
 *
 * @param status 400 to 599
 * @param detail text for the client. Default: the text of the status
 * @throws E_STATUS_INVALID
 * @example
 * const project = await findOpt(request.params.id);
 * if (project === undefined) throw Web.failure(404);
 * throw Web.failure(401, "The key has expired.", { headers: { "www-authenticate": "Bearer" } });
 */
export function failure(
  status: number,
  detail?: string,
  options: Omit<Failure, "status" | "detail"> = {},
): LimmatError {
  if (!Number.isInteger(status) || status < 400 || status > 599) throw httpErrors.E_STATUS_INVALID(status);
  return new FailureError({ ...options, status, ...(detail !== undefined && { detail }) });
}

/** Returns true for an error of `failure`. */
export const isDeliberate = (error: unknown): boolean => error instanceof FailureError;

/** Converts an error into a failure: with code and message if the client caused it (4xx), else the status alone. */
export function failureOf(error: unknown): Failure {
  if (!isError(error) || error.status === undefined) return { status: 500 };
  if (error instanceof FailureError) return error.failure;
  return error.expose ? { status: error.status, code: error.code, detail: error.message } : { status: error.status };
}

/** Returns true if responses show error details: only if `FRAMEWORK_ENV` is set, to `development`. */
export function showsErrorDetails(): boolean {
  return ConfigurationInternals.isEnvironmentSet() && Configuration.environment() === "development";
}

/** Failure with title and detail. */
export interface ExplainedFailure extends Failure {
  readonly title: string;
  readonly detail: string;
}

/** Adds the default title and detail of the status. */
export function explained(publicPart: Failure): ExplainedFailure {
  const [title, detail] = explain(publicPart.status);
  return { ...publicPart, title: publicPart.title ?? title, detail: publicPart.detail ?? detail };
}

/** Returns the default title and detail of a status. */
export function explain(status: number): Explanation {
  return explanations.get(status) ?? (status < 500 ? badRequest : serverError);
}

type Explanation = readonly [title: string, detail: string];

const badRequest: Explanation = ["Bad request", "The browser sent a request that this site cannot read."];
const serverError: Explanation = ["Something went wrong", "The error has been recorded. Please try again in a moment."];

const explanations: ReadonlyMap<number, Explanation> = new Map<number, Explanation>([
  [400, badRequest],
  [401, ["Please log in", "This page is for logged-in users."]],
  [403, ["Not allowed", "You may not do this. If you sent a form, go back, reload the page and send it again."]],
  [404, ["Page not found", "There is nothing at this address. It may have moved, or never existed."]],
  [405, ["Not possible here", "This address exists, but it does not support this action."]],
  [406, ["Unknown format", "This page does not exist in the format that was asked for."]],
  [408, ["That took too long", "The request did not arrive in time. Please try again."]],
  [409, ["Not possible now", "Someone else has changed this in the meantime. Reload the page and try again."]],
  [412, ["Changed in the meantime", "Someone else has changed this in the meantime. Reload the page and try again."]],
  [413, ["Too large", "What you sent is larger than this site accepts."]],
  [414, ["Address too long", "The address of this request is longer than this site accepts."]],
  [415, ["Unknown format", "What you sent has a format that this page does not accept."]],
  [417, ["Not possible here", "The request expects something that this site does not offer."]],
  [421, ["Wrong host", "This site does not answer under this host name."]],
  [422, ["Please check what you entered", "A value in the form was not accepted."]],
  [428, ["Please reload the page", "The form does not say which version it changes. Reload its page and try again."]],
  [429, ["Too many requests", "Please wait a moment before you try again."]],
  [431, ["Request too large", "The headers of the request, cookies for example, are larger than this site accepts."]],
  [500, serverError],
  [501, ["Not possible here", "This site does not support this kind of request."]],
  [503, ["Back in a moment", "This site is busy or being updated. Please try again shortly."]],
]);
