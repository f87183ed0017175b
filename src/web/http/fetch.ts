import { Log } from "../../log/index.ts";
import { Request } from "../request.ts";
import { Response } from "../response.ts";
import { isBodiless } from "../response-web.ts";
import type { Application } from "./application.ts";
import { configuredPrefix } from "./configuration.ts";
import type { Limits } from "./limits.ts";
import { isOutside, withoutPrefix } from "./prefix.ts";

/** Makes the function that answers web-standard requests as the server does, without one. */
export function fetchFrom(
  application: () => Application,
  limits: Limits,
): (request: globalThis.Request) => Promise<globalThis.Response> {
  const options = { bodyLimit: limits.bodySize, parameterLimit: limits.parameters };

  const fetch = async (standard: globalThis.Request): Promise<globalThis.Response> => {
    const prefix = configuredPrefix();
    let request: Request;
    try {
      request = Request.from(standard, { ...options, prefix });
    } catch (refusal) {
      const bare = new globalThis.Request(new URL("/", standard.url), { headers: standard.headers });
      const answer = await application().refuse(Request.from(bare, { prefix }), refusal);
      return standardOf(Response.from(answer), standard.method);
    }
    const { path } = request;
    const inner = request.with({ path: withoutPrefix(path, prefix) });
    const { answer, answerOutside } = application();
    return standardOf(Response.from(await (isOutside(path, prefix) ? answerOutside : answer)(inner)), standard.method);
  };
  // The fields of one request's log lines must not follow the caller.
  return (standard) => Log.withFields({}, () => fetch(standard));
}

/** What a client of the server would get: the length where it is known, no body for HEAD. */
function standardOf(response: Response, method: string): globalThis.Response {
  const { body, status } = response;
  const isWhole = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  const length = body === undefined ? 0 : isWhole ? Buffer.byteLength(body) : undefined;
  const measured =
    length === undefined || isBodiless(status) ? response : response.withHeader("content-length", String(length));
  return (method === "HEAD" ? measured.withBody(undefined) : measured).toStandard();
}
