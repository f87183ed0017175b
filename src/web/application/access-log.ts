import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { RequestObserver } from "../../http/server/index.ts";

const log = Log.source("limmat.web.access");

/** Logs each response. */
export const logRequest: RequestObserver = (request) => {
  const start = Time.monotonic();
  // Without the query, which may hold personal data.
  const path = request.target.split("?", 1)[0] ?? "";
  return (status, isCut) => {
    log.info(`${request.method} ${path} ${status ?? "-"}`, {
      method: request.method,
      path,
      status,
      ms: Math.round((Time.monotonic() - start) * 10) / 10,
      ip: request.ip,
      request_id: request.id,
      ...(isCut ? { is_cut: true } : {}),
    });
  };
};
