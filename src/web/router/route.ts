import type { Handler, Middleware } from "../handler.ts";
import { errors } from "../errors.ts";
import type { PathParams } from "./path-params.ts";

/** The methods that routes answer, in the order in which `Allow` lists them. */
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** A method that a route answers. */
export type Method = (typeof methods)[number];

/** One line of the route table: a path, the methods that it answers, and what answers them. */
export interface Route {
  readonly methods: readonly Method[];
  /** With all scopes in front: `/api/todos/:id`. */
  readonly path: string;
  readonly name: string | undefined;
  /** The outermost first, those of outer scopes included. */
  readonly middlewares: readonly Middleware[];
  readonly handler: Handler;
  /** Whether it answers 404, and only keeps the address from being taken for another route's parameter. */
  readonly isReserved: boolean;
}

/** Routes in the order of their declaration. A plain value: build it as you like. */
export interface Router {
  readonly routes: readonly Route[];
}

/** What a route may have beside its path and handler. */
export interface RouteOptions {
  /** How links find it, and how the `routes` command shows it. */
  readonly name?: string;
  /** Run only when the route matches, the first outermost. */
  readonly middlewares?: readonly Middleware[];
}

/** How `get` and its siblings are called. */
export interface MakeRoute {
  /**
   * A route. Its path is written decoded: `/todos/:id`, `/docs/:page?`, `/files/*path`. Static segments win over
   * `:name`, and these over `*rest`, whatever the order of declaration; a trailing slash makes no difference.
   *
   * @throws E_ROUTE_PATH
   */
  <const Path extends string, Params extends PathParams<Path> = PathParams<Path>>(
    path: Path,
    handler: Handler<Params>,
    options?: RouteOptions,
  ): Router;
}

function maker(...answered: readonly Method[]): MakeRoute {
  return (path, handler, options = {}) => ({
    routes: [
      {
        methods: answered,
        path: normalize(path),
        name: options.name,
        middlewares: options.middlewares ?? [],
        // Which parameters the path has was proved where the route was made; the table holds all sorts.
        handler: handler as unknown as Handler,
        isReserved: false,
      },
    ],
  });
}

/** Answers GET, and HEAD with the same headers. */
export const get: MakeRoute = maker("GET");
/** Answers HEAD in place of the GET route of the path. */
export const head: MakeRoute = maker("HEAD");
export const post: MakeRoute = maker("POST");
export const put: MakeRoute = maker("PUT");
export const patch: MakeRoute = maker("PATCH");
/** Answers DELETE. Reached as `Web.delete`. */
export const del: MakeRoute = maker("DELETE");
/** Answers OPTIONS in place of the automatic 204 with `Allow`. */
export const options: MakeRoute = maker("OPTIONS");
/** Answers all methods. */
export const any: MakeRoute = maker(...methods);

/**
 * Keeps an address from being taken for the parameter of another route, and a method of a known address from being
 * answered with 405: both are 404. Where a real route stands as well, that one answers.
 */
export function reserve(answered: readonly Method[], path: string): Router {
  const handler: Handler = () => {
    throw errors.E_NOT_FOUND();
  };
  const route = { methods: answered, path: normalize(path), name: undefined, middlewares: [], handler };
  return { routes: [{ ...route, isReserved: true }] };
}

/** What a list of routers has in common. */
export interface ScopeOptions {
  /** Stands before all paths; may hold parameters. */
  readonly scope?: string;
  /** The same as `scope`. */
  readonly path?: string;
  /** Run when one of the routes matches, around the routes' own middlewares, the first outermost. */
  readonly middlewares?: readonly Middleware[];
}

/**
 * One router of several, below a scope and with middlewares if wished. Nests at will.
 *
 * @throws E_ROUTE_PATH
 */
export function choose(routers: readonly Router[], scoping: ScopeOptions = {}): Router {
  const scope = normalize(scoping.scope ?? scoping.path ?? "/");
  const middlewares = scoping.middlewares ?? [];
  return {
    routes: routers.flatMap(({ routes }) =>
      routes.map((route) => ({
        ...route,
        path: join(scope, route.path),
        // Nothing matches where an address is reserved, so that no middleware answers in place of the 404.
        middlewares: route.isReserved ? [] : [...middlewares, ...route.middlewares],
      })),
    ),
  };
}

function join(scope: string, path: string): string {
  if (scope === "/") return path;
  if (scope.includes("/*")) throw errors.E_ROUTE_PATH(scope + path, "a wildcard stands at the end only");
  return path === "/" ? scope : scope + path;
}

const segmentForm = /^(?::[A-Za-z_]\w*\??|\*[A-Za-z_]\w*|[^:*?#%\\\s][^?#%\\]*)$/;

function normalize(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  if (trimmed === "") return "/";
  if (!trimmed.startsWith("/")) throw errors.E_ROUTE_PATH(path, "it begins with a slash");
  const segments = trimmed.slice(1).split("/");
  for (const [at, segment] of segments.entries()) {
    if (!segmentForm.test(segment) || segment === "." || segment === "..") {
      throw errors.E_ROUTE_PATH(path, `"${segment}" is no segment: write text (decoded), :name, :name? or *name`);
    }
    if (segment.startsWith("*") && at < segments.length - 1) {
      throw errors.E_ROUTE_PATH(path, "a wildcard stands at the end only");
    }
    if (/^[:*]__proto__/.test(segment)) throw errors.E_ROUTE_PATH(path, "a parameter cannot have this name");
  }
  return trimmed;
}
