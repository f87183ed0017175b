import type { Middleware } from "../../http/router/index.ts";
import { middlewareGetter } from "./factory.ts";

/**
 * Makes JSON the default format, for errors too. `Request.wants("json")` is true for requests without `Accept` or with
 * a wildcard. Clients that prefer HTML still get pages.
 */
export const preferJson: () => Middleware = middlewareGetter(
  "json",
  Object.assign(
    ((handler) => (request) => {
      request.preferJson();
      return handler(request);
    }) satisfies Middleware,
    { prefersJson: true },
  ),
);
