import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Request } from "../request.ts";

const log = Log.source("limmat.web.access");

/**
 * Begins to watch a request, and gives the function that logs its answer.
 *
 * @returns to be called when the answer was sent, or when the client went away before: `status` is `undefined` when
 *   nothing was sent, `isCut` tells that not all was
 */
export function watchAnswer(request: Request): (status: number | undefined, isCut: boolean) => void {
  const start = Time.monotonic();
  // The path as it was asked for; a query may hold what is nobody's business.
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
}
