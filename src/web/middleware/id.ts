import { Log } from "../../log/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { HeaderList, type Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

const withId: Middleware = named("id", (handler: Handler) => (request: Request) => {
  Log.enterFields({ request_id: request.id });
  return mapResponse(handler(request), (response) =>
    response.withDefaultHeaders(new HeaderList(["x-request-id", request.id])),
  );
});

/**
 * Sends the identifier of the request back as `x-request-id`, and puts it on every line that is logged meanwhile.
 *
 * The identifier is `Request.id`: the one that a proxy gave the request if it is a sane one, otherwise a new one.
 */
export function id(): Middleware {
  return withId;
}
