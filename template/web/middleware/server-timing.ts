import { Time } from "limmat";
import { mapResponse, type Middleware } from "limmat/web";

/** Adds the duration of the request, in milliseconds, for the developer tools of browsers (W3C Server Timing). */
export const serverTiming: Middleware = (handler) => (request) => {
  const startMs = Time.monotonic();
  return mapResponse(handler(request), (response) =>
    response.withHeader("server-timing", `app;dur=${(Time.monotonic() - startMs).toFixed(1)}`),
  );
};
