import type { Handler, Middleware } from "../../http/router/index.ts";
import { httpErrors, type Request } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

/**
 * Sets the maximum body size of these routes, in bytes. It may be above or below the limit of the HTTP service (1 MiB).
 *
 * A body with a larger `Content-Length` is refused before it is read, a chunked one as soon as it exceeds the limit:
 * both with E_BODY_TOO_LARGE (413). The limit of the service always applies to urlencoded forms, and to the fields before
 * the first file of a multipart form, because they are read before routing.
 */
export function bodyLimit(maxBodyBytes: number): Middleware {
  return withName("bodyLimit", (handler: Handler) => (request: Request) => {
    if (Number(request.header("content-length") ?? 0) > maxBodyBytes) throw httpErrors.E_BODY_TOO_LARGE(maxBodyBytes);
    return handler(request.with({ maxBodyBytes: maxBodyBytes }));
  });
}
