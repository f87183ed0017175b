import { Key, type Request } from "../../http/message/index.ts";

const errorPageKey: Key<true> = new Key("shows an error page");

/**
 * Records that an error page answers this request. A layout that shows messages or the user can render it, also for a path
 * without a route and its middlewares: there are then none.
 */
export function markErrorPage(request: Request): void {
  request.set(errorPageKey, true);
}

/** Returns true if an error page answers the request. */
export const isErrorPage = (request: Request): boolean => request.get(errorPageKey) === true;
