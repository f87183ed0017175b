import { channel } from "node:diagnostics_channel";
import { requestChannelName } from "../../core/index.ts";
import { LogInternals } from "../../log/index.ts";
import { mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, type Request, type Response } from "../../http/message/index.ts";
import { middlewareGetter } from "./factory.ts";

const requests = channel(requestChannelName);

/**
 * Sends the identifier of the request as `x-request-id`, and adds it and the client's address (`client`) to log entries.
 *
 * The identifier is `Request.id`: the one from a trusted proxy if it is well-formed, otherwise a new one.
 */
export const id: () => Middleware = middlewareGetter("id", (handler) => (request) => {
  enterRequestId(request);
  return mapResponse(handler(request), (response) => addRequestId(request, response));
});

/** Adds the identifier of the request and the address of the client to the log entries from here on. */
export function enterRequestId(request: Request): void {
  // Reading the address costs a system call: it is read when an event is logged.
  const client = new LogInternals.DeferredValue(request.client, clientAddress);
  LogInternals.enterFields({ request_id: request.id, client });
  if (requests.hasSubscribers) requests.publish(request);
}

/** Returns the address of the client; `undefined` over a Unix socket, or if the connection is closed. */
const clientAddress = ({ ip }: Request["client"]): string | undefined => ip || undefined;

/** Adds the identifier of the request as `x-request-id`. */
export function addRequestId(request: Request, response: Response): Response {
  return response.withDefaultHeaders(new HeaderList(["x-request-id", request.id]));
}
