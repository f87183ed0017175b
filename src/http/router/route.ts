import type { Handler, Middleware } from "./handler.ts";
import { errors } from "../errors.ts";
import type { RouteDescription } from "./description.ts";
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
  /** The host that it answers for: `api.example.com`, or `*.example.com`; `undefined` for all. */
  readonly host: string | undefined;
  /** Whether it answers even when the server is too busy for others: health checks. */
  readonly bypassesLoadShedding: boolean;
  /** Whether it answers 404, and only keeps the address from being taken for another route's parameter. */
  readonly isPlaceholder: boolean;
  /** True if a middleware of the route prefers JSON: error responses of its path are JSON, too. */
  readonly prefersJson: boolean;
  /** Documentation for the OpenAPI document; `undefined` leaves the route out. */
  readonly description: RouteDescription | undefined;
}

/** The name of a route, and its path. */
export type NamedPath = readonly [name: string, path: string];

/**
 * Routes in the order of their declaration. A plain value: build it as you like.
 *
 * `Named` is for the type checker alone: the names and paths that `Web.Link` knows.
 */
export interface Router<out Named extends NamedPath = NamedPath> {
  readonly routes: readonly Route[];
  /** Never there at run time. */
  readonly named?: Named;
}

/** What a route may have beside its path and handler. */
export interface RouteOptions<Name extends string = string> {
  /** How `Web.link` finds it, and how the `routes` command shows it. */
  readonly name?: Name;
  /** Run only when the route matches, the first outermost. */
  readonly middlewares?: readonly Middleware[];
  /** What an OpenAPI document says of it. Default: it stands in none. */
  readonly describe?: RouteDescription | undefined;
}

/** How `get` and its siblings are called. */
export interface MakeRoute {
  /**
   * A route. Its path is written decoded: `/todos/:id`, `/docs/:page?`, `/files/*path`. Static segments win over
   * `:name`, and these over `*rest`, whatever the order of declaration; a trailing slash makes no difference.
   *
   * @throws E_ROUTE_PATH
   */
  <const Path extends string, Params extends PathParams<Path> = PathParams<Path>, const Name extends string = never>(
    path: Path,
    handler: Handler<Params>,
    options?: RouteOptions<Name>,
  ): Router<[Name] extends [never] ? never : readonly [Name, Path]>;
}

function maker(...answered: readonly Method[]): MakeRoute {
  return (path, handler, options = {}) => ({
    routes: [
      {
        methods: answered,
        path: normalize(path),
        name: options.name,
        middlewares: options.middlewares ?? [],
        prefersJson: areForJson(options.middlewares),
        // Which parameters the path has was proved where the route was made; the table holds all sorts.
        handler: handler as unknown as Handler,
        host: undefined,
        bypassesLoadShedding: false,
        isPlaceholder: false,
        description: options.describe,
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
  const route = {
    methods: answered,
    path: normalize(path),
    name: undefined,
    middlewares: [],
    prefersJson: false,
    handler,
  };
  return {
    routes: [{ ...route, host: undefined, bypassesLoadShedding: false, isPlaceholder: true, description: undefined }],
  };
}

/** What a list of routers has in common. */
export interface ScopeOptions<Scope extends string = string> {
  /** Stands before all paths; may hold parameters. */
  readonly scope?: Scope;
  /** The same as `scope`. */
  readonly path?: Scope;
  /**
   * The host that the routes answer for: `api.example.com`, or `*.example.com` for all names below that one. Its routes
   * win over those for all hosts. An inner host wins over an outer one.
   */
  readonly host?: string;
  /** Run when one of the routes matches, around the routes' own middlewares, the first outermost. */
  readonly middlewares?: readonly Middleware[];
}

/**
 * One router of several, below a scope and with middlewares if wished. Nests at will.
 *
 * @throws E_ROUTE_PATH
 */
export function choose<const Routers extends readonly Router[], const Scope extends string = "">(
  routers: Routers,
  scoping: ScopeOptions<Scope> = {},
): Router<Prefixed<Scope, Routers[number]>> {
  const scope = normalize(scoping.scope ?? scoping.path ?? "/");
  const middlewares = scoping.middlewares ?? [];
  const host = scoping.host?.toLowerCase();
  if (host !== undefined && !/^(?:\*\.)?[a-z\d._-]+$/.test(host)) {
    throw errors.E_ROUTE_PATH(scope, `"${host}" is no host: write a name without port, or *.name`);
  }
  return {
    routes: routers.flatMap(({ routes }) =>
      routes.map((route) => ({
        ...route,
        path: join(scope, route.path),
        host: route.host ?? host,
        // Nothing matches where an address is reserved, so that no middleware answers in place of the 404.
        middlewares: route.isPlaceholder ? [] : [...middlewares, ...route.middlewares],
        prefersJson: route.prefersJson || areForJson(middlewares),
      })),
    ),
  };
}

const areForJson = (middlewares: readonly Middleware[] = []): boolean =>
  middlewares.some(({ prefersJson }) => prefersJson === true);

/** The named paths of routers, below a scope. Names that are only known at run time are left out. */
type Prefixed<Scope extends string, R> =
  R extends Router<infer Named>
    ? Named extends readonly [infer Name extends string, infer Path extends string]
      ? string extends Name
        ? never
        : readonly [Name, `${Scope}${Path}`]
      : never
    : never;

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
