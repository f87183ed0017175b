import type { FlatHeaders } from "./header.ts";
import { Key } from "./key.ts";
import type { Request } from "./request.ts";
import type { Response } from "./response.ts";

const errorHeaders: Key<FlatHeaders> = new Key("headers of the error page");

/**
 * Has the error page of this request carry headers, should there be one: a middleware that adds headers on the way out
 * is not passed by what is thrown.
 *
 * @param headers flat, names in lower case
 */
export function addErrorHeaders(request: Request, headers: FlatHeaders): void {
  request.set(errorHeaders, [...(request.get(errorHeaders) ?? []), ...headers]);
}

/** The error page with these headers. */
export function withErrorHeaders(request: Request, page: Response): Response {
  const headers = request.get(errorHeaders);
  if (headers === undefined) return page;
  let response = page;
  for (let at = 0; at < headers.length; at += 2) {
    response = response.withAddedHeader(headers[at] as string, headers[at + 1] as string);
  }
  return response;
}
