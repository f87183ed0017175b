import type { ServerResponse } from "node:http";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Request } from "../request.ts";

const log = Log.source("limmat.web.access");

/** Logs an answer when it was sent, or when the client went away before: `status` is missing when nothing was sent. */
export function logAnswer(request: Request, outgoing: ServerResponse): void {
  const start = Time.monotonic();
  // The path as it was asked for; a query may hold what is nobody's business.
  const path = request.target.split("?", 1)[0] ?? "";
  outgoing.once("close", () => {
    const { statusCode, headersSent, writableFinished } = outgoing;
    log.info(`${request.method} ${path} ${headersSent ? statusCode : "-"}`, {
      method: request.method,
      path,
      status: headersSent ? statusCode : undefined,
      ms: Math.round((Time.monotonic() - start) * 10) / 10,
      ip: request.ip,
      request_id: request.id,
      ...(writableFinished ? {} : { is_cut: true }),
    });
  });
}
