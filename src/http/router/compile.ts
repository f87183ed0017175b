import { errors } from "../errors.ts";
import { compose, type Handler, type Middleware } from "./handler.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { type Method, methods, type Route, type Router } from "./route.ts";
import { RouteTable } from "./route-table.ts";

/** Handlers of requests that no route matches. */
export interface Fallbacks {
  /** Handles a path that no route has. */
  readonly notFound: Handler;
  /** Handles a method that no route of the path has. `allow` is the value of the `Allow` header. */
  readonly methodNotAllowed: (request: Request, allow: string) => ReturnType<Handler>;
  /** Middlewares that already wrap every request. They are left out of the stacks of the routes. */
  readonly globalMiddlewares?: readonly Middleware[];
}

/** Routes of one path. */
interface RouteNode {
  readonly routes: Map<string, ResolvedRoute>;
  /** Endpoints by method, filled after all routes are known. */
  readonly endpoints: Map<string, Endpoint>;
  allow: string;
  /** True if all routes of the path prefer JSON. A 405 is then JSON as well. */
  prefersJson: boolean;
}

interface Endpoint {
  readonly handler: Handler;
  readonly parameterNames: readonly string[];
  /** Pattern of the route, as declared; `undefined` for a placeholder. */
  readonly pattern: string | undefined;
}

/** Route at one of the paths that its pattern matches. */
interface ResolvedRoute extends Route {
  readonly pattern: string;
}

/**
 * Builds the handler that matches the route of a request and runs it with its middlewares.
 *
 * The GET route answers HEAD. OPTIONS is answered with 204 and `Allow`, through the middlewares that all routes of the path
 * share, so that CORS can be among them.
 *
 * @throws E_ROUTE_TAKEN if two routes have the same method and path, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE
 */
export function compile(router: Router, fallbacks: Fallbacks): Handler {
  const { notFound, methodNotAllowed, globalMiddlewares = [] } = fallbacks;
  const table = new RouteTable<RouteNode>();
  const nodes = new Set<RouteNode>();
  checkNames(router.routes);
  for (const route of router.routes) {
    for (const path of expandOptionalSegments(route.path)) {
      const node = table.getOrInsert(route.host, path, newNode);
      nodes.add(node);
      addRoute(node, { ...route, path, pattern: route.path });
    }
  }
  for (const node of nodes) buildEndpoints(node, globalMiddlewares);

  return (request) => {
    const match = table.match(request);
    if (match === undefined) return notFound(request);
    const { value: node, captures } = match;
    const endpoint = node.endpoints.get(request.method);
    if (endpoint === undefined) {
      if (node.allow === "") return notFound(request);
      if (node.prefersJson) request.preferJson();
      return methodNotAllowed(request, node.allow);
    }
    const { handler, parameterNames, pattern } = endpoint;
    request.setRoute(pattern);
    if (parameterNames.length === 0) return handler(request);
    const params: Record<string, string> = {};
    // An index loop pairs names and captures without an iterator per request.
    for (let index = 0; index < parameterNames.length; index++) {
      params[parameterNames[index] as string] = captures[index] as string;
    }
    return handler(request.withParams(params));
  };
}

const newNode = (): RouteNode => ({ routes: new Map(), endpoints: new Map(), allow: "", prefersJson: false });

function addRoute(node: RouteNode, route: ResolvedRoute): void {
  for (const method of route.methods) {
    const other = node.routes.get(method);
    if (other === undefined || other.isPlaceholder) node.routes.set(method, route);
    else if (!route.isPlaceholder) throw errors.E_ROUTE_TAKEN(method, other.path, route.path);
  }
}

function buildEndpoints(node: RouteNode, globalMiddlewares: readonly Middleware[]): void {
  const withoutGlobal = (middlewares: readonly Middleware[]): readonly Middleware[] =>
    middlewares.filter((middleware) => !globalMiddlewares.includes(middleware));
  for (const [method, route] of node.routes) {
    node.endpoints.set(method, {
      handler: compose(withoutGlobal(route.middlewares), route.handler),
      parameterNames: parameterNamesOf(route.path),
      pattern: route.isPlaceholder ? undefined : route.pattern,
    });
  }
  const get = node.endpoints.get("GET");
  if (get !== undefined && !node.endpoints.has("HEAD")) node.endpoints.set("HEAD", get);

  const routes = [...node.routes.values()].filter((route) => !route.isPlaceholder);
  if (routes.length === 0) return;
  const allowed = new Set<string>(routes.flatMap((route) => route.methods));
  if (allowed.has("GET") && !node.routes.has("HEAD")) allowed.add("HEAD");
  allowed.add("OPTIONS");
  node.allow = methods.filter((method: Method) => allowed.has(method)).join(", ");
  node.prefersJson = routes.every((route) => route.prefersJson);
  if (!node.endpoints.has("OPTIONS")) {
    const response = Response.empty(204, { headers: { allow: node.allow } });
    const handler = compose(withoutGlobal(sharedMiddlewares(routes)), () => response);
    node.endpoints.set("OPTIONS", { handler, parameterNames: [], pattern: routes[0]?.pattern });
  }
}

function sharedMiddlewares([first, ...others]: readonly Route[]): readonly Middleware[] {
  return (first?.middlewares ?? []).filter((middleware) =>
    others.every(({ middlewares }) => middlewares.includes(middleware)),
  );
}

/** Returns the paths that a pattern matches: with and without each optional segment. */
export function expandOptionalSegments(pattern: string): string[] {
  let paths = [""];
  for (const segment of pattern.slice(1).split("/")) {
    const isOptional = segment.endsWith("?");
    const extended = paths.map((path) => `${path}/${isOptional ? segment.slice(0, -1) : segment}`);
    paths = isOptional ? [...extended, ...paths] : extended;
  }
  return paths.map((path) => (path === "" ? "/" : path));
}

function parameterNamesOf(path: string): readonly string[] {
  const names = [...path.matchAll(/\/[:*](\w+)/g)].map((match) => match[1] as string);
  for (const name of names) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw errors.E_ROUTE_PARAMETER_TWICE(path, name);
  }
  return names;
}

function checkNames(routes: readonly Route[]): void {
  const paths = new Map<string, string>();
  for (const { name, path } of routes) {
    if (name === undefined) continue;
    const other = paths.get(name);
    if (other !== undefined && other !== path) throw errors.E_ROUTE_NAME_TAKEN(name, other, path);
    paths.set(name, path);
  }
}
