import type { Request } from "../message/request.ts";
import { defaultMaxBodyBytes } from "../message/server-context.ts";
import { boundaryOf } from "./boundary.ts";
import type { Part, UploadLimits } from "./part.ts";
import { readParts } from "./read-parts.ts";

/** The parts of a request's body, as `Request.parts` gives them. */
export async function* partsOf(
  request: Pick<Request, "header" | "body" | "server">,
  limits: UploadLimits,
): AsyncGenerator<Part, void> {
  const boundary = boundaryOf(request.header("content-type"));
  const reader = request.body.getReader();
  try {
    yield* readParts(async () => (await reader.read()).value, boundary, {
      files: 10,
      fileSize: Infinity,
      fields: request.server.maxParameters,
      fieldsSize: defaultMaxBodyBytes,
      ...limits,
    });
  } finally {
    // Of a body that is over, or has failed, there is nothing left to cancel.
    await reader.cancel().catch(() => {});
  }
}
