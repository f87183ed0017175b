import { HeaderList, type HeadersInit } from "./header-list.ts";
import { Key } from "./request-source.ts";
import type { Request } from "./request.ts";
import type { Response } from "./response.ts";

const errorHeaders: Key<readonly HeaderList[]> = new Key("headers of the error response");

/**
 * Adds headers to the error response of this request, if there will be one. A middleware that adds headers to responses
 * does not see a response when its handler throws.
 *
 * @throws E_HEADER_INVALID
 */
export function addErrorHeaders(request: Request, headers: HeadersInit): void {
  request.set(errorHeaders, [...(request.get(errorHeaders) ?? []), HeaderList.from(headers)]);
}

/**
 * Returns the error response with the headers that `addErrorHeaders` collected. A 503, which is about the moment, gets
 * `Retry-After` (RFC 9110 §15.6.4), so that clients such as `fetch` libraries and proxies wait before they try again.
 */
export function withErrorHeaders(request: Request, page: Response): Response {
  let response = page;
  for (const headers of request.get(errorHeaders) ?? []) {
    for (const [name, value] of headers) response = response.withAddedHeader(name, value);
  }
  return response.status === 503 ? response.withDefaultHeaders(retryAfter) : response;
}

const retryAfter: HeaderList = new HeaderList(["retry-after", "1"]);
