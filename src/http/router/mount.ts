import type { Handler } from "./handler.ts";
import { encodePath } from "../message/path.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { any, choose, type Router } from "./route.ts";

/** Answers a web-standard request: `app.fetch` of Hono, h3 and others. */
export type FetchHandler = (request: globalThis.Request) => globalThis.Response | Promise<globalThis.Response>;

/** A handler that passes the request on as a web-standard one, with its full path. */
export function fromFetch(fetch: FetchHandler): Handler {
  return (request) => pass(request, fetch, request.path);
}

/**
 * A router that passes every request below a path on to an application made for web-standard requests, which sees the
 * path without that part. It gets the path as we understood it, encoded anew, so that it cannot read another one.
 *
 * @example
 * Web.mount("/hono", new Hono().get("/hello/:name", (context) => context.text(context.req.param("name"))).fetch)
 */
export function mount(path: string, fetch: FetchHandler): Router {
  const depth = path.split("/").filter((segment) => segment !== "").length;
  const handler: Handler = (request) =>
    pass(
      request,
      fetch,
      `/${request.path
        .split("/")
        .slice(1 + depth)
        .join("/")}`,
    );
  return choose([any("/", handler), any("/*rest", handler)], { scope: path });
}

async function pass(request: Request, fetch: FetchHandler, path: string): Promise<Response> {
  return Response.from(await fetch(toStandard(request, path)));
}

function toStandard(request: Request, path: string): globalThis.Request {
  const url = new URL(request.url);
  url.pathname = encodePath(path);
  const headers = new Headers();
  for (const [name, value] of request.headers) if (!hopByHop.has(name)) headers.append(name, value);
  const { method, signal } = request;
  if (method === "GET" || method === "HEAD") return new globalThis.Request(url, { method, headers, signal });
  const body = request.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new globalThis.Request(url, { method, headers, signal, body, duplex: "half" });
}

// They are about our connection (RFC 9110 §7.6.1), and the body is not in chunks any more.
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "expect"]);
