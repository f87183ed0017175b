import { Time } from "limmat";
import { mapResponse, type Middleware } from "limmat/web";

/** Tells the browser's developer tools how long the answer took, in milliseconds (W3C Server Timing). */
export const serverTiming: Middleware = (handler) => (request) => {
  const started = Time.monotonic();
  return mapResponse(handler(request), (response) =>
    response.withHeader("server-timing", `app;dur=${(Time.monotonic() - started).toFixed(1)}`),
  );
};
