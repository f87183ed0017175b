import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { isError, LimmatError } from "../../core/index.ts";
import { httpErrors, Key } from "../../http/message/index.ts";
import { LanguageInternals } from "../../language/index.ts";

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
    const { status, code = "E_FAILURE", detail } = publicPart;
    // The log is in English. Responses read the detail in the language of their request.
    super(code, detail ?? LanguageInternals.runInLocale({ language: "en" }, () => explain(status)[1]), { status });
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
  if (!error.expose) return { status: error.status };
  return { status: error.status, code: error.code, detail: LanguageInternals.errorMessage(error) };
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

/** Returns the default title and detail of a status, in the current language. */
export function explain(status: number): readonly [title: string, detail: string] {
  const { statuses } = LanguageInternals.frameworkTexts().responses;
  return statuses[status] ?? (status < 500 ? statuses[400] : statuses[500]);
}
