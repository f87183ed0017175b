import { Log } from "../../log/index.ts";
import { Request } from "../request.ts";
import { Response } from "../response.ts";
import { WebSource } from "../request-web.ts";
import { isBodiless } from "../response-web.ts";
import type { Application } from "./application.ts";
import { isOutside, withoutPrefix } from "./prefix.ts";
import type { ServerState } from "./server-state.ts";

/** Makes the function that answers web-standard requests as the server does, without one. */
export function makeFetch(
  application: () => Application,
  state: () => ServerState,
): (request: globalThis.Request) => Promise<globalThis.Response> {
  const fetch = async (standard: globalThis.Request): Promise<globalThis.Response> => {
    const { prefix, hosts } = state();
    const { answer, answerOutside, refuse } = application();
    let request: Request;
    try {
      request = Request.over(new WebSource(standard, state()));
      hosts.check(request.header("host") ?? "", {});
    } catch (refusal) {
      const bare = new globalThis.Request(new URL("/", standard.url), { headers: standard.headers });
      return standardOf(
        Response.from(await refuse(Request.over(new WebSource(bare, state())), refusal)),
        standard.method,
      );
    }
    const { path } = request;
    const inner = request.with({ path: withoutPrefix(path, prefix) });
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
