import type { Handler, Middleware } from "../../http/router/index.ts";
import { httpErrors, type Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

/**
 * Lets bodies of these routes have so many bytes, more or less than the limit of the HTTP service (1 MiB).
 *
 * A body whose `Content-Length` says more is refused before any of it is read, a chunked one as soon as it is over: with
 * E_BODY_TOO_LARGE (413). Urlencoded forms are read before the route is known, and never may have more than the limit of the
 * service; of forms with files only the fields before the first file are.
 */
export function bodyLimit(bytes: number): Middleware {
  return named("bodyLimit", (handler: Handler) => (request: Request) => {
    if (Number(request.header("content-length") ?? 0) > bytes) throw httpErrors.E_BODY_TOO_LARGE(bytes);
    return handler(request.with({ maxBodyBytes: bytes }));
  });
}
