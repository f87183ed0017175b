import type { Handler, Middleware } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

const withJson: Middleware = Object.assign(
  named("json", (handler: Handler) => (request: Request) => {
    request.preferJson();
    return handler(request);
  }),
  { prefersJson: true },
);

/**
 * Gives JSON to clients that state no wish, errors included: `Request.wants("json")` is true for an `Accept` of any
 * type, which programs send, and for none. Who asks for a page still gets one.
 */
export function json(): Middleware {
  return withJson;
}
