import type { Handler } from "./handler.ts";
import { encodePath } from "../message/target.ts";
import type { Request } from "../message/request.ts";
import { type Response, toResponse } from "../message/response.ts";
import { any, choose, type Router } from "./route.ts";

/** Handles a Fetch API request: `app.fetch` of Hono, h3 and others. */
export type FetchHandler = (request: globalThis.Request) => globalThis.Response | Promise<globalThis.Response>;

/** Creates a handler that forwards requests to a Fetch API handler, with their full path. */
export function fromFetch(fetch: FetchHandler): Handler {
  return (request) => forward(request, fetch, request.path);
}

/**
 * Creates a router that forwards all requests below a path to a Fetch API application, without that part of the path. The
 * application gets the canonical path, encoded again, so that it cannot interpret the path differently.
 *
 * @example
 * Web.mount("/hono", new Hono().get("/hello/:name", (context) => context.text(context.req.param("name"))).fetch)
 */
export function mount(path: string, fetch: FetchHandler): Router {
  const depth = path.split("/").filter((segment) => segment !== "").length;
  const handler: Handler = (request) => {
    const segments = request.path.split("/").slice(1 + depth);
    return forward(request, fetch, `/${segments.join("/")}`);
  };
  return choose([any("/", handler), any("/*rest", handler)], { scope: path });
}

async function forward(request: Request, fetch: FetchHandler, path: string): Promise<Response> {
  return toResponse(await fetch(toFetchRequest(request, path)));
}

function toFetchRequest(request: Request, path: string): globalThis.Request {
  const url = new URL(request.url);
  url.pathname = encodePath(path);
  const headers = new Headers();
  for (const [name, value] of request.headers) if (!hopByHop.has(name)) headers.append(name, value);
  const { method, signal } = request;
  if (method === "GET" || method === "HEAD") return new globalThis.Request(url, { method, headers, signal });
  const body = request.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new globalThis.Request(url, { method, headers, signal, body, duplex: "half" });
}

// Headers of this connection only (RFC 9110 §7.6.1). The chunked coding of the body is already decoded.
const hopByHop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "expect"]);
