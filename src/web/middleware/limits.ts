import { withDeadline } from "../../time/index.ts";
import { type HandlerResult, isThenable, type Middleware } from "../../http/router/index.ts";
import { httpErrors } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { describe, failure, temporaryFailure } from "../openapi/description.ts";
import { withName } from "./factory.ts";

/**
 * Sets the maximum body size of these routes, in bytes. It may be above or below the limit of the HTTP service (1 MiB).
 *
 * A body with a larger `Content-Length` is refused before it is read, a chunked one as soon as it exceeds the limit:
 * both with E_BODY_TOO_LARGE (413). On paths with a route for PUT, PATCH or DELETE, the limit of the service applies to urlencoded
 * forms, and to the fields before the first file of a multipart form: the method override reads them before routing.
 */
export function bodyLimit(maxBodyBytes: number): Middleware {
  const middleware = withName("bodyLimit", (handler) => (request) => {
    if (Number(request.header("content-length") ?? 0) > maxBodyBytes) throw httpErrors.E_BODY_TOO_LARGE(maxBodyBytes);
    return handler(request.with({ maxBodyBytes }));
  });
  return describe(middleware, { responses: { 413: failure("The body is too large") } });
}

/**
 * Limits the time until the handlers of these routes return a response, in milliseconds. The client then gets
 * E_HANDLER_TIMEOUT (503), and `request.signal` aborts with this error.
 *
 * JavaScript cannot stop a running handler: pass `request.signal` to `fetch`, to statements of the database and to `Time.sleep`.
 * A later result of the handler is ignored, and the stream of its body cancelled. The time in which a stream or a file is sent does not count.
 *
 * @example
 * const reports = Web.choose(routes, { middlewares: [Web.Middleware.timeLimit(Time.seconds(5))] });
 */
export function timeLimit(timeoutMs: number): Middleware {
  const middleware = withName("timeLimit", (handler) => (request) => {
    const timeout = new AbortController();
    const result = handler(request.with({ signal: AbortSignal.any([request.signal, timeout.signal]) }));
    if (!isThenable(result)) return result;
    const timeoutError = (): Error => {
      const error = errors.E_HANDLER_TIMEOUT(timeoutMs);
      timeout.abort(error);
      return error;
    };
    const pending = Promise.resolve(result);
    const cancelBody = ({ body }: HandlerResult): Promise<void> | undefined =>
      body instanceof ReadableStream ? body.cancel(timeout.signal.reason) : undefined;
    const onGiveUp = (): void => void pending.then(cancelBody).catch(() => {});
    return withDeadline(pending, { timeoutMs, timeoutError, onGiveUp });
  });
  return describe(middleware, { responses: { 503: temporaryFailure("No response in time: try again later") } });
}
