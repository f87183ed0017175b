import { isError } from "../../core/index.ts";

/** What a client is told of a request that failed. */
export interface Failure {
  /** 400 to 599. */
  readonly status: number;
  /** What happened, in one line. Default: that of the status. */
  readonly title?: string;
  /** What can be done about it. Default: that of the status. */
  readonly detail?: string;
  /** The code of the error, where it may be known. */
  readonly code?: string;
  /** Messages by field of a form. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What a client is told of an error: its code and message when it is the client's fault (4xx), and otherwise nothing
 * but that something went wrong.
 */
export function failureOf(error: unknown): Failure {
  if (!isError(error) || error.status === undefined) return { status: 500 };
  return error.expose ? { status: error.status, code: error.code, detail: error.message } : { status: error.status };
}

/** A failure with words for people, whatever failed: its own, or those of its status. */
export interface ExplainedFailure extends Failure {
  readonly title: string;
  readonly detail: string;
}

/** Adds the words of the status where a failure has none. */
export function explained(failure: Failure): ExplainedFailure {
  const [title, detail] = explain(failure.status);
  return { ...failure, title: failure.title ?? title, detail: failure.detail ?? detail };
}

/** What a person reads about a status: what happened, and what to do. */
export function explain(status: number): Explanation {
  return explanations.get(status) ?? (status < 500 ? badRequest : serverError);
}

type Explanation = readonly [title: string, detail: string];

const badRequest: Explanation = ["Bad request", "The browser sent something that this site cannot understand."];
const serverError: Explanation = ["Something went wrong", "The error has been recorded. Please try again in a moment."];

const explanations: ReadonlyMap<number, Explanation> = new Map<number, Explanation>([
  [400, badRequest],
  [401, ["Please log in", "This page is for people who have logged in."]],
  [403, ["Not allowed", "You may not do this. If you sent a form, go back, reload the page and send it again."]],
  [404, ["Page not found", "There is nothing at this address. It may have moved, or never existed."]],
  [405, ["Not possible here", "This address exists, but what you tried to do with it does not."]],
  [408, ["That took too long", "The request did not arrive in time. Please try again."]],
  [409, ["Not possible now", "Somebody or something else was faster. Reload the page and look again."]],
  [413, ["Too large", "What you sent is larger than this site accepts."]],
  [414, ["Address too long", "The address of this request is longer than this site accepts."]],
  [415, ["Unknown format", "What you sent has a format that this page does not understand."]],
  [417, ["Not possible here", "The request expects something that this site does not offer."]],
  [421, ["Wrong host", "This site does not answer under that name."]],
  [422, ["Please check what you entered", "Something in the form was not accepted."]],
  [429, ["Too many requests", "Please wait a moment before you try again."]],
  [431, ["Request too large", "The headers of the request, cookies for example, are larger than this site accepts."]],
  [500, serverError],
  [501, ["Not possible here", "This site does not know what the request asked for."]],
  [503, ["Back in a moment", "This site is busy or being updated. Please try again shortly."]],
]);
