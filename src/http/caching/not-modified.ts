import type { Response } from "../message/response.ts";

/** Returns the 304 instead of a response: its headers without those that describe its content (RFC 9110 §15.4.5). */
export function notModified(response: Response): Response {
  return withoutContentHeaders(response).withStatus(304).withBody(undefined);
}

const contentHeaders: readonly string[] = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-range",
  "content-type",
  "last-modified",
];

/** Returns a copy of a response without the headers that describe its content. */
export function withoutContentHeaders(response: Response): Response {
  let copy = response;
  for (const name of contentHeaders) if (copy.header(name) !== undefined) copy = copy.withoutHeader(name);
  return copy;
}
