import { errors } from "../errors.ts";
import { compose, type Handler, type Middleware } from "./handler.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { type Method, methods, type Route, type Router } from "./route.ts";
import { Table } from "./table.ts";

/** What a router answers when no route does. */
export interface Fallbacks {
  /** No route has the path. */
  readonly notFound: Handler;
  /** Some route has it, for other methods: `allow` is the value of the `Allow` header. */
  readonly methodNotAllowed: (request: Request, allow: string) => ReturnType<Handler>;
  /** Middlewares that every request passes already: they are left out of the routes' own stacks. */
  readonly globals?: readonly Middleware[];
}

/** All that stands at one path. */
interface RouteNode {
  readonly path: string;
  readonly routes: Map<string, ResolvedRoute>;
  /** Filled last: what answers each method. */
  readonly endpoints: Map<string, Endpoint>;
  allow: string;
  /** Whether programs are told in JSON which methods there are, as by all its routes. */
  prefersJson: boolean;
}

interface Endpoint {
  readonly handler: Handler;
  readonly names: readonly string[];
  /** The pattern as it was declared; none where an address is reserved. */
  readonly route: string | undefined;
}

/** A route at one of the paths that its pattern stands for. */
interface ResolvedRoute extends Route {
  readonly pattern: string;
}

/**
 * Builds the handler that finds the route of a request and runs it, with its middlewares.
 *
 * HEAD is answered by the GET route. OPTIONS is answered with 204 and `Allow`, through the middlewares that all routes
 * of the path share, so that CORS can be among them.
 *
 * @throws E_ROUTE_TAKEN when two routes answer the same method of the same path, E_ROUTE_NAME_TAKEN.
 */
export function compile(router: Router, fallbacks: Fallbacks): Handler {
  const { notFound, methodNotAllowed, globals = [] } = fallbacks;
  const table = new Table<RouteNode>();
  const places = new Set<RouteNode>();
  checkNames(router.routes);
  for (const route of router.routes) {
    for (const path of variants(route.path)) {
      const place = table.at(route.host, path, () => emptyPlace(path));
      places.add(place);
      claim(place, { ...route, path, pattern: route.path });
    }
  }
  for (const place of places) finish(place, globals);

  return (request) => {
    const found = table.find(request);
    if (found === undefined) return notFound(request);
    const { value: place, captures } = found;
    const entry = place.endpoints.get(request.method);
    if (entry === undefined) {
      if (place.allow === "") return notFound(request);
      if (place.prefersJson) request.preferJson();
      return methodNotAllowed(request, place.allow);
    }
    const { names, route } = entry;
    request.setRoute(route);
    if (names.length === 0) return entry.handler(request);
    const params: Record<string, string> = {};
    for (let at = 0; at < names.length; at++) params[names[at] as string] = captures[at] as string;
    return entry.handler(request.withParams(params));
  };
}

const emptyPlace = (path: string): RouteNode => ({
  path,
  routes: new Map(),
  endpoints: new Map(),
  allow: "",
  prefersJson: false,
});

function claim(place: RouteNode, route: ResolvedRoute): void {
  for (const method of route.methods) {
    const other = place.routes.get(method);
    if (other === undefined || other.isPlaceholder) place.routes.set(method, route);
    else if (!route.isPlaceholder) throw errors.E_ROUTE_TAKEN(method, other.path, route.path);
  }
}

function finish(place: RouteNode, globals: readonly Middleware[]): void {
  for (const [method, route] of place.routes) {
    const own = route.middlewares.filter((middleware) => !globals.includes(middleware));
    const pattern = route.isPlaceholder ? undefined : route.pattern;
    place.endpoints.set(method, {
      handler: compose(own, route.handler),
      names: parameterNames(route.path),
      route: pattern,
    });
  }
  const get = place.endpoints.get("GET");
  if (get !== undefined && !place.endpoints.has("HEAD")) place.endpoints.set("HEAD", get);

  const open = [...place.routes.values()].filter((route) => !route.isPlaceholder);
  if (open.length === 0) return;
  const answered = new Set<string>(open.flatMap((route) => route.methods));
  if (answered.has("GET") && !place.routes.has("HEAD")) answered.add("HEAD");
  answered.add("OPTIONS");
  place.allow = methods.filter((method: Method) => answered.has(method)).join(", ");
  const shared = sharedMiddlewares(open);
  place.prefersJson = open.every((route) => route.prefersJson);
  if (!place.endpoints.has("OPTIONS")) {
    const response = Response.empty(204, { headers: { allow: place.allow } });
    const own = shared.filter((middleware) => !globals.includes(middleware));
    place.endpoints.set("OPTIONS", { handler: compose(own, () => response), names: [], route: open[0]?.pattern });
  }
}

function sharedMiddlewares([first, ...others]: readonly Route[]): readonly Middleware[] {
  return (first?.middlewares ?? []).filter((middleware) =>
    others.every(({ middlewares }) => middlewares.includes(middleware)),
  );
}

/** The paths that a pattern stands for: with and without each segment that may be missing. */
export function variants(pattern: string): string[] {
  let found = [""];
  for (const segment of pattern.slice(1).split("/")) {
    const optional = segment.endsWith("?");
    const extended = found.map((path) => `${path}/${optional ? segment.slice(0, -1) : segment}`);
    found = optional ? [...extended, ...found] : extended;
  }
  return found.map((path) => (path === "" ? "/" : path));
}

function parameterNames(path: string): readonly string[] {
  const names = [...path.matchAll(/\/[:*](\w+)/g)].map((found) => found[1] as string);
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
