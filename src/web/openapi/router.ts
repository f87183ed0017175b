import { Command } from "../../core/index.ts";
import { configuredPrefix } from "../application/configuration.ts";
import type { Html } from "../../html/index.ts";
import { errors } from "../errors.ts";
import { choose, get, type Handler, type Route, type Router } from "../../http/router/index.ts";
import { type Request, Response, type ServerContext } from "../../http/message/index.ts";
import { applicationOf } from "../application/web-application.ts";
import { withDescriptions } from "./description.ts";
import type { Document, DocumentDefinition, DocumentInfo, DocumentLocation, ErrorBody } from "./document.ts";

/** Options of the route that serves the OpenAPI document. */
export interface OpenApiOptions extends DocumentInfo {
  /** Path of the document. Default `/openapi.json`. */
  readonly path?: string;
  /**
   * Path of a page that shows the operations and sends requests to them: `/docs`. It needs no other site and no exception of
   * the content security policy. The browser sends cookies, the page its CSRF token if the session middleware runs for it.
   * Default: no page.
   */
  readonly page?: string | undefined;
  /**
   * Returns the schema of the JSON body that the option `errorPage` of the HTTP service sends with a status, `default` for
   * the statuses that an operation does not list; `undefined` for no body. Default: a problem document.
   */
  readonly errorBody?: ErrorBody;
}

const definitionKey: unique symbol = Symbol("definition of the served document");

interface DocumentHandler {
  [definitionKey]?: DocumentDefinition;
}

/** Document of a server. */
interface ServedDocument {
  readonly document: Document;
  /** Path of the document, with the prefix. */
  readonly path: string;
  /** Content of the page; `undefined` until it is requested. */
  content?: Html;
}

/**
 * Creates a route that serves the OpenAPI document (version 3.1) of the application. It covers routes with `describe`,
 * and resources of `Web.Rest.jsonOfService`. Under a `host`, it covers that host. The command `openapi` prints it.
 *
 * A request fails with E_OPENAPI_SCHEMA if a schema has no JSON Schema.
 *
 * @example
 * export const router = Web.choose([site, api, Web.OpenApi.router({ title: "Todos", version: "1.0.0" })]);
 */
export function openApiRouter({ path = "/openapi.json", page, errorBody, ...info }: OpenApiOptions): Router {
  const definition: DocumentDefinition = { info, errorBody };
  const documents = new WeakMap<ServerContext, ServedDocument>();
  const documentFor = async (request: Request): Promise<ServedDocument> => {
    const { server } = request;
    let served = documents.get(server);
    if (served === undefined) {
      const routes = applicationOf(request)?.routes ?? [];
      const route = routes.find((candidate) => candidate.handler === handler);
      const document = await writeDocument(definition, routes, { host: route?.host, prefix: server.prefix });
      served = { document, path: server.prefix + (route?.path ?? path) };
      documents.set(server, served);
    }
    return served;
  };
  const handler: Handler = async (request) => Response.json((await documentFor(request)).document);
  const documentRoute = get(path, Object.assign(handler, { [definitionKey]: definition }));
  if (page === undefined) return documentRoute;
  const pageRoute = get(page, async (request) => {
    const served = await documentFor(request);
    const { renderDocument, showDocument } = await import("./page.ts");
    return showDocument(request, info.title, (served.content ??= renderDocument(served.document, served.path)));
  });
  return choose([documentRoute, pageRoute]);
}

/** Builds the first document that a router serves, optionally for a host. @throws E_OPENAPI_MISSING, E_OPENAPI_SCHEMA */
export async function documentServedBy({ routes }: Router, prefix: string, host?: string): Promise<Document> {
  for (const route of routes) {
    const definition = (route.handler as DocumentHandler)[definitionKey];
    if (definition !== undefined && (host === undefined || route.host === host)) {
      return await writeDocument(definition, routes, { host: route.host, prefix });
    }
  }
  throw errors.E_OPENAPI_MISSING(host);
}

// Imported on first use: most starts never need it (docs/decisions/017).
async function writeDocument(
  definition: DocumentDefinition,
  routes: readonly Route[],
  location: DocumentLocation,
): Promise<Document> {
  const { documentOf } = await import("./document.ts");
  return documentOf(withDescriptions(routes), definition, location);
}

/** Creates the command `openapi`, which prints the document of the application. It throws the errors of `documentServedBy`. */
export function openApiCommand(router: Router): Command.Command {
  return Command.make({
    name: "openapi",
    usage: "[<host>]",
    description: "Prints the OpenAPI document that the application serves",
    run: async ([host, ...others], { output }) => {
      if (others.length > 0) return undefined;
      output.print(JSON.stringify(await documentServedBy(router, configuredPrefix(), host), undefined, 2));
      return Command.done;
    },
  });
}
