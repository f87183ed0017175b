import type { Handler, Middleware } from "../handler.ts";
import type { Request } from "../request.ts";
import { named } from "./factory.ts";

const withJson: Middleware = named("json", (handler: Handler) => (request: Request) => {
  request.expectJson();
  return handler(request);
});

/**
 * Gives JSON to clients that state no wish, errors included: `Request.wants("json")` is true for an `Accept` of any
 * type, which programs send, and for none. Who asks for a page still gets one.
 */
export function json(): Middleware {
  return withJson;
}
