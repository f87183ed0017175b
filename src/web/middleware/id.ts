import { LogInternals } from "../../log/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, type Request, type Response } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const idMiddleware: Middleware = withName("id", (handler: Handler) => (request: Request) => {
  enterRequestId(request);
  return mapResponse(handler(request), (response) => addRequestId(request, response));
});

/** Adds the identifier of the request to the log entries from here on. */
export function enterRequestId(request: Request): void {
  LogInternals.enterFields({ request_id: request.id });
}

/** Adds the identifier of the request as `x-request-id`. */
export function addRequestId(request: Request, response: Response): Response {
  return response.withDefaultHeaders(new HeaderList(["x-request-id", request.id]));
}

/**
 * Sends the identifier of the request as `x-request-id`, and adds it to the log entries of the request.
 *
 * The identifier is `Request.id`: the one from a proxy if it is well-formed, otherwise a new one.
 */
export function id(): Middleware {
  return idMiddleware;
}
