import { Log } from "../../log/index.ts";
import { type Handler, mapResponse, type Middleware } from "../handler.ts";
import type { Request } from "../request.ts";
import { named } from "./factory.ts";

const withId: Middleware = named("id", (handler: Handler) => (request: Request) => {
  Log.enterFields({ request_id: request.id });
  return mapResponse(handler(request), (response) => response.withDefaultHeaders(["x-request-id", request.id]));
});

/**
 * Sends the identifier of the request back as `x-request-id`, and puts it on every line that is logged meanwhile.
 *
 * The identifier is `Request.id`: the one that a proxy gave the request if it is a sane one, otherwise a new one.
 */
export function id(): Middleware {
  return withId;
}
