import { errors } from "../errors.ts";
import { get, type Handler, type Route, type Router } from "../../http/router/index.ts";
import { Response, type ServerContext } from "../../http/message/index.ts";
import { applicationOf } from "../application/web-application.ts";
import type { Document, DocumentInfo, DocumentPlace } from "./document.ts";

/** What a document says of the whole interface, and where it is. */
export interface OpenApiOptions extends DocumentInfo {
  /** Default `/openapi.json`. */
  readonly path?: string;
}

/** What the documents that routes serve say of the interface, by the handlers of these routes. */
const served = new WeakMap<Handler, DocumentInfo>();

/**
 * A route that serves the OpenAPI document (version 3.1) of the application: of the routes with `describe`, and of the
 * resources for programs (`Web.Rest.jsonOfService`). Below a `host`, it is that of what is answered there. The command
 * `openapi` prints it.
 *
 * Throws E_OPENAPI_SCHEMA when it is asked and a schema cannot be written as a JSON Schema.
 *
 * @example
 * export const router = Web.choose([site, api, Web.OpenApi.router({ title: "Todos", version: "1.0.0" })]);
 */
export function router({ path = "/openapi.json", ...info }: OpenApiOptions): Router {
  const documents = new WeakMap<ServerContext, Document>();
  const handler: Handler = async (request) => {
    const { server } = request;
    let document = documents.get(server);
    if (document === undefined) {
      const routes = applicationOf(request)?.routes ?? [];
      const { host } = routes.find((route) => route.handler === handler) ?? {};
      document = await writeDocument(info, routes, { host, prefix: server.prefix });
      documents.set(server, document);
    }
    return Response.json(document);
  };
  served.set(handler, info);
  return get(path, handler);
}

/** The first document that a router serves, for a host if one is given. @throws E_OPENAPI_MISSING, E_OPENAPI_SCHEMA */
export async function documentServedBy({ routes }: Router, prefix: string, host?: string): Promise<Document> {
  for (const route of routes) {
    const info = served.get(route.handler);
    if (info !== undefined && (host === undefined || route.host === host)) {
      return await writeDocument(info, routes, { host: route.host, prefix });
    }
  }
  throw errors.E_OPENAPI_MISSING(host);
}

// Loaded by who asks for it: most starts never need it (docs/decisions/008).
async function writeDocument(...about: [DocumentInfo, readonly Route[], DocumentPlace]): Promise<Document> {
  const { documentOf } = await import("./document.ts");
  const [info, routes, place] = about;
  return documentOf(routes, info, place);
}
