import { withDeclarations } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { compose, type Handler, type Middleware } from "./handler.ts";
import { type MatchedRoute, PathParams } from "../message/request-source.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { type Matchers, type Parameter, parametersOf, readParameter } from "./parameter-type.ts";
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

/** Compiled routes. */
export interface CompiledRouter {
  /** Runs the route of a request. */
  readonly handle: Handler;
  /** Returns the routes of the path of a request, for all methods. */
  readonly routesOf: (request: Request) => readonly Route[];
}

interface RouteNode {
  readonly routes: Map<string, ResolvedRoute>;
  /** Endpoints by method, filled after all routes are known. */
  readonly endpoints: Map<string, Endpoint>;
  /** True if all routes of the path are placeholders. It is then 404 for every method. */
  isPlaceholder: boolean;
  /** True if all routes of the path prefer JSON. A 405 is then JSON as well. */
  prefersJson: boolean;
}

interface Endpoint {
  readonly handler: Handler;
  readonly parameterNames: readonly string[];
  /** `undefined` for a placeholder. */
  readonly route: MatchedRoute | undefined;
}

/** Route at one of the paths that its pattern matches. */
interface ResolvedRoute extends Route {
  readonly pattern: string;
}

/**
 * Compiles routes: matches the route of a request and runs it with its middlewares.
 *
 * Of the routes that match the path, the most specific one with the method is run. The GET route answers HEAD. OPTIONS is
 * answered with 204 and `Allow`, through the middlewares that all routes of the most specific path share, such as CORS.
 *
 * @throws E_ROUTE_TAKEN if two routes have the same method and path, E_ROUTE_NAME_TAKEN, E_ROUTE_PARAMETER_TWICE,
 *   E_ROUTE_PATH for optional segments that are ambiguous
 */
export function compile(router: Router, fallbacks: Fallbacks): CompiledRouter {
  const { notFound, methodNotAllowed } = fallbacks;
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
  /** Nodes of all patterns that match the path, the most specific first, up to a placeholder. */
  const nodesOf = (request: Request): readonly RouteNode[] => {
    const matched: RouteNode[] = [];
    table.match(request, (node) => matched.push(node) > 0 && node.isPlaceholder);
    return matched;
  };
  const respondToOptions: Handler = (request) =>
    Response.empty(204, { headers: { allow: formatAllow(nodesOf(request)) } });
  for (const node of nodes) buildEndpoints(node, respondToOptions, fallbacks);

  function handleOtherMethod(request: Request): ReturnType<Handler> {
    const { method } = request;
    const match = table.match(request, ({ endpoints, isPlaceholder }) => isPlaceholder || endpoints.has(method));
    const endpoint = match?.value.endpoints.get(method);
    if (match !== undefined) return endpoint === undefined ? notFound(request) : run(request, endpoint, match.captures);
    const matched = nodesOf(request);
    if (matched.every(({ prefersJson }) => prefersJson)) request.preferJson();
    return methodNotAllowed(request, formatAllow(matched));
  }

  return {
    handle: (request) => {
      const match = table.match(request);
      if (match === undefined) return notFound(request);
      const endpoint = match.value.endpoints.get(request.method);
      return endpoint === undefined ? handleOtherMethod(request) : run(request, endpoint, match.captures);
    },
    routesOf: (request) =>
      nodesOf(request).flatMap(({ routes, isPlaceholder }) => (isPlaceholder ? [] : [...routes.values()])),
  };
}

function run(
  request: Request,
  { handler, parameterNames, route }: Endpoint,
  captures: readonly string[],
): ReturnType<Handler> {
  request.setRoute(route);
  if (parameterNames.length === 0) return handler(request);
  const params = new PathParams();
  // An index loop pairs names and captures without an iterator per request.
  for (let index = 0; index < parameterNames.length; index++) {
    params[parameterNames[index] as string] = captures[index] as string;
  }
  return handler(request.withParams(params));
}

const newNode = (): RouteNode => ({ routes: new Map(), endpoints: new Map(), isPlaceholder: true, prefersJson: false });

function addRoute(node: RouteNode, route: ResolvedRoute): void {
  for (const method of route.methods) {
    const other = node.routes.get(method);
    if (other === undefined || other.isPlaceholder) node.routes.set(method, route);
    else if (!route.isPlaceholder) {
      const failure = errors.E_ROUTE_TAKEN(method, other.path, route.path);
      throw withDeclarations(failure, other.declaration, route.declaration);
    }
  }
}

function buildEndpoints(
  node: RouteNode,
  respondToOptions: Handler,
  { notFound, globalMiddlewares = [] }: Fallbacks,
): void {
  const withoutGlobal = (middlewares: readonly Middleware[]): readonly Middleware[] =>
    middlewares.filter((middleware) => !globalMiddlewares.includes(middleware));
  for (const [method, route] of node.routes) {
    const parameters = parametersOf(route.path);
    const handler = compose(withoutGlobal(route.middlewares), route.handler);
    node.endpoints.set(method, {
      handler: withTypedParameters(handler, parameters, route.matchers, notFound),
      parameterNames: uniqueNamesOf(parameters, route),
      route: route.isPlaceholder ? undefined : matchedRoute(method, route),
    });
  }
  const get = node.endpoints.get("GET");
  if (get !== undefined && !node.endpoints.has("HEAD")) node.endpoints.set("HEAD", get);

  const routes = [...node.routes.values()].filter((route) => !route.isPlaceholder);
  const [firstRoute] = routes;
  if (firstRoute === undefined) return;
  node.isPlaceholder = false;
  node.prefersJson = routes.every((route) => route.prefersJson);
  if (!node.endpoints.has("OPTIONS")) {
    const handler = compose(withoutGlobal(sharedMiddlewares(routes)), respondToOptions);
    node.endpoints.set("OPTIONS", { handler, parameterNames: [], route: matchedRoute("OPTIONS", firstRoute) });
  }
}

function matchedRoute(method: string, { pattern, handler, declaration }: ResolvedRoute): MatchedRoute {
  return { method, pattern, handlerName: handler.name, declaration };
}

/** Wraps a handler so that a parameter of another type is not found. Returns a handler without typed parameters as it is. */
function withTypedParameters(
  handler: Handler,
  parameters: readonly Parameter[],
  matchers: Matchers,
  notFound: Handler,
): Handler {
  if (parameters.every(({ type }) => type === undefined)) return handler;
  return (request) => {
    const params = Object.assign(new PathParams(), request.params);
    for (const parameter of parameters) {
      const value = readParameter(parameter, params[parameter.name] as string, matchers);
      if (value === undefined) return notFound(request);
      params[parameter.name] = value;
    }
    return handler(request.withParams(params));
  };
}

/** Formats the `Allow` header of a path that these nodes match. The first node with a method decides on it. */
function formatAllow(nodes: readonly RouteNode[]): string {
  const isAllowed = (method: Method): boolean =>
    nodes.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method)?.route !== undefined;
  return methods.filter(isAllowed).join(", ");
}

function sharedMiddlewares([first, ...others]: readonly Route[]): readonly Middleware[] {
  return (first?.middlewares ?? []).filter((middleware) =>
    others.every(({ middlewares }) => middlewares.includes(middleware)),
  );
}

/**
 * Returns the paths of a pattern, with and without optional segments. Of several in a row, the last are left out first.
 *
 * @throws E_ROUTE_PATH if two of the paths match the same requests, as in `/:a?/:b/:c?`
 */
export function expandOptionalSegments(pattern: string): string[] {
  let paths: readonly { readonly path: string; readonly isShortened: boolean }[] = [{ path: "", isShortened: false }];
  for (const segment of pattern.slice(1).split("/")) {
    if (segment.endsWith("?")) {
      const extended = paths
        .filter(({ isShortened }) => !isShortened)
        .map(({ path }) => `${path}/${segment.slice(0, -1)}`);
      paths = [
        ...extended.map((path) => ({ path, isShortened: false })),
        ...paths.map(({ path }) => ({ path, isShortened: true })),
      ];
    } else paths = paths.map(({ path }) => ({ path: `${path}/${segment}`, isShortened: false }));
  }
  const shapes = new Map<string, string>();
  for (const { path } of paths) {
    const shape = path.replaceAll(/\/:[^/]+/g, "/:");
    const other = shapes.get(shape);
    if (other !== undefined) {
      throw errors.E_ROUTE_PATH(pattern, `it is unclear which optional segment a path such as ${other} leaves out`);
    }
    shapes.set(shape, path);
  }
  return paths.map(({ path }) => (path === "" ? "/" : path));
}

function uniqueNamesOf(parameters: readonly Parameter[], { path, declaration }: Route): readonly string[] {
  const names = parameters.map(({ name }) => name);
  for (const name of names) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw withDeclarations(errors.E_ROUTE_PARAMETER_TWICE(path, name), declaration);
    }
  }
  return names;
}

function checkNames(routes: readonly Route[]): void {
  const named = new Map<string, Route>();
  for (const route of routes) {
    const { name, path } = route;
    if (name === undefined) continue;
    const other = named.get(name);
    if (other !== undefined && other.path !== path) {
      throw withDeclarations(errors.E_ROUTE_NAME_TAKEN(name, other.path, path), other.declaration, route.declaration);
    }
    named.set(name, route);
  }
}
