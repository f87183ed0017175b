import { encodePath, type Request } from "../../http/message/index.ts";

/** Where the request went, as a URL path: with the prefix and all scopes, without the query. */
export function addressOf(request: Request): string {
  return request.prefix + encodePath(request.path);
}

/** Where the list is that the item of a request belongs to. */
export function listAddressOf(request: Request): string {
  return addressOf(request).replace(/\/[^/]*$/, "");
}
