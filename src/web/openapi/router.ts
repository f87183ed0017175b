import { errors } from "../errors.ts";
import type { Handler } from "../handler.ts";
import type { RequestServer } from "../request-server.ts";
import { Response } from "../response.ts";
import { get, type Route, type Router } from "../router/route.ts";
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
  const documents = new WeakMap<RequestServer, Document>();
  const handler: Handler = async ({ server }) => {
    let document = documents.get(server);
    if (document === undefined) {
      const route = server.routes.find((each) => each.handler === handler);
      document = await writtenDocument(info, server.routes, { host: route?.host, prefix: server.prefix });
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
      return await writtenDocument(info, routes, { host: route.host, prefix });
    }
  }
  throw errors.E_OPENAPI_MISSING(host);
}

// Loaded by who asks for it: most starts never need it (docs/decisions/008).
async function writtenDocument(...about: [DocumentInfo, readonly Route[], DocumentPlace]): Promise<Document> {
  const { documentOf } = await import("./document.ts");
  const [info, routes, place] = about;
  return documentOf(routes, info, place);
}
