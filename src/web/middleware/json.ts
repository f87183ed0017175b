import type { Handler, Middleware } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const jsonMiddleware: Middleware = Object.assign(
  withName("json", (handler: Handler) => (request: Request) => {
    request.preferJson();
    return handler(request);
  }),
  { prefersJson: true },
);

/**
 * Makes JSON the default format, for errors too. `Request.wants("json")` is true for requests without `Accept` or with
 * a wildcard. Clients that prefer HTML still get pages.
 */
export function preferJson(): Middleware {
  return jsonMiddleware;
}
