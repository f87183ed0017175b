import { declarationStack } from "../../core/index.ts";
import { describeValue, errors } from "../errors.ts";
import { type Handler, type Middleware, requireEntries, requireMiddlewares } from "./handler.ts";
import { type Matcher, type Matchers, mergeMatchers, requireMatchers } from "./parameter-type.ts";
import type { RouteDescription } from "./description.ts";

/** Methods of routes, in the order of the `Allow` header. */
export const methods = ["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Method of a route. */
export type Method = (typeof methods)[number];

/** Entry of the route table: a path, its methods and their handler. */
export interface Route {
  readonly methods: readonly Method[];
  /** Path with all scopes in front: `/api/todos/:id`. */
  readonly path: string;
  readonly name: string | undefined;
  /** Own types of the parameters of the path. */
  readonly matchers: Matchers;
  /** Middlewares of the route and its scopes, the outermost first. */
  readonly middlewares: readonly Middleware[];
  readonly handler: Handler;
  /** Host of the route: `api.example.com` or `*.example.com`; `undefined` for all hosts. */
  readonly host: string | undefined;
  /** True if the route is answered even while the server sheds load, as health checks are. */
  readonly bypassesLoadShedding: boolean;
  /** True if the route only answers 404, so that a parameter of another route does not match its path. */
  readonly isPlaceholder: boolean;
  /** True if a middleware of the route prefers JSON: error responses of its path are JSON, too. */
  readonly prefersJson: boolean;
  /** What guards the route beside its middlewares. */
  readonly guard: string | undefined;
  /** Documentation for the OpenAPI document; `undefined` leaves the route out. */
  readonly description: RouteDescription | undefined;
  /** Stack of the declaration, under the development server only: errors and the page of a 404 name its line. */
  readonly declaration?: Error;
}

/** Name and path of a route. */
export type NamedPath = readonly [name: string, path: string];

/** Routes in the order of their declaration. `Named` are names and paths for `Web.Link`, for the type checker only. */
export interface Router<out Named extends NamedPath = NamedPath> {
  readonly routes: readonly Route[];
  /** Type-level only: never set at run time. */
  readonly named?: Named;
}

/** Options of a route. */
export interface RouteOptions<Name extends string = string, Own extends Matchers = Matchers> {
  /** Name for `Web.link` and the `routes` command. */
  readonly name?: Name;
  /**
   * Own types of parameters: `{ language }` for `/:language<language>/news`. A matcher returns the text for `request.params`,
   * or `undefined` for one that is 404. It runs before all middlewares, for everyone: it must not reveal or load anything.
   */
  readonly matchers?: Own;
  /** Middlewares that run only when the route matches, the first outermost. */
  readonly middlewares?: readonly Middleware[];
  /**
   * What guards the route beside its middlewares, for the commands `routes` and `doctor`: `signature`, or `open` for a route that
   * everybody may use. It checks nothing. Default: the policy of a resource.
   */
  readonly guard?: string | undefined;
  /** Documentation for the OpenAPI document. Default: the route is left out. */
  readonly describe?: RouteDescription | undefined;
}

/** Type of `get`, `post` and the other functions that create a route. */
export interface MakeRoute {
  /**
   * Creates a route. Its path is written decoded: `/todos/:id`, `/docs/:page?`, `/files/*path`. Static segments have
   * precedence over `:name`, and `:name` over `*rest`, in any order of declaration. A trailing slash makes no difference.
   *
   * `:id<uuid>` and `:id<int>` have a type: a path with another value is 404. The type does not distinguish routes. UUIDs are
   * converted to lower case; whole numbers from 0 to 2⁵³ − 1 stay text. The option `matchers` declares other types.
   *
   * @throws E_ROUTE_PATH, E_ROUTE_INVALID
   */
  <
    const Path extends string,
    Own extends Matchers = NoMatchers,
    Params extends PathParams<Path, Own> = PathParams<Path, Own>,
    const Name extends string = never,
  >(
    path: Path,
    handler: Handler<Params>,
    options?: RouteOptions<Name, Own>,
  ): Router<[Name] extends [never] ? never : readonly [Name, Path]>;
}

const routeDefaults = {
  name: undefined,
  matchers: {},
  middlewares: [],
  host: undefined,
  bypassesLoadShedding: false,
  isPlaceholder: false,
  prefersJson: false,
  guard: undefined,
  description: undefined,
} as const;

function routeMaker(...routeMethods: readonly Method[]): MakeRoute {
  const functionName = routeMethods.length === 1 ? routeMethods[0]?.toLowerCase() : "any";
  return (path, handler, options = {}) => {
    const declaration = declarationStack();
    const subject = `route ${functionName}(${JSON.stringify(path)})`;
    if (typeof handler !== "function") {
      const advice = "Write a function that takes the request and returns a response";
      throw errors.E_ROUTE_INVALID(subject, `its handler is ${describeValue(handler)}`, advice);
    }
    requireMiddlewares(options.middlewares ?? [], subject);
    requireMatchers(path, options.matchers ?? {});
    const route = {
      ...routeDefaults,
      methods: routeMethods,
      path: normalizePath(path),
      name: options.name,
      matchers: options.matchers ?? {},
      middlewares: options.middlewares ?? [],
      prefersJson: somePreferJson(options.middlewares),
      // The type checker has compared path and parameters here. The table needs one type for all routes.
      handler: handler as unknown as Handler,
      guard: options.guard,
      description: options.describe,
    };
    return { routes: [declaration === undefined ? route : { ...route, declaration }] };
  };
}

/** Creates a route for GET. It answers HEAD with the same headers. */
export const get: MakeRoute = routeMaker("GET");
/** Creates a route for HEAD, instead of the GET route of the path. */
export const head: MakeRoute = routeMaker("HEAD");
/**
 * Creates a route for QUERY: a request that changes nothing, as of GET, with its parameters in the body (RFC 10008).
 *
 * `Request.json` and `Request.form` refuse a body without its `Content-Type`, as the method demands.
 */
export const query: MakeRoute = routeMaker("QUERY");
/** Creates a route for POST. */
export const post: MakeRoute = routeMaker("POST");
/** Creates a route for PUT. */
export const put: MakeRoute = routeMaker("PUT");
/** Creates a route for PATCH. */
export const patch: MakeRoute = routeMaker("PATCH");
/** Creates a route for DELETE. Exported as `delete`. */
export const del: MakeRoute = routeMaker("DELETE");
/** Creates a route for OPTIONS, instead of the automatic 204 with `Allow`. */
export const options: MakeRoute = routeMaker("OPTIONS");
/** Creates a route for all methods. */
export const any: MakeRoute = routeMaker(...methods);

/**
 * Creates a placeholder that answers 404 for a path and these methods. Without it, a parameter of another route would match
 * the path, or the method would be answered with 405. A real route for the same path and method replaces it.
 */
export function reserve(reservedMethods: readonly Method[], path: string): Router {
  const handler: Handler = () => {
    throw errors.E_NOT_FOUND();
  };
  return {
    routes: [{ ...routeDefaults, methods: reservedMethods, path: normalizePath(path), handler, isPlaceholder: true }],
  };
}

/** Options of `choose`, shared by all its routes. */
export interface ScopeOptions<Scope extends string = string> {
  /** Path in front of all paths. It may contain parameters. */
  readonly scope?: Scope;
  /** Alternative spelling of `scope` from the specification. Prefer `scope`. */
  readonly path?: Scope;
  /** Own types of the parameters of the scope, as in the options of a route. */
  readonly matchers?: Matchers;
  /**
   * Host of the routes: `api.example.com`, or `*.example.com` for all names below it. These routes have precedence over
   * routes for all hosts, and an inner host over an outer one.
   */
  readonly host?: string;
  /** Middlewares that run when one of the routes matches, outside the middlewares of the route, the first outermost. */
  readonly middlewares?: readonly Middleware[];
}

/** Combines routers, optionally in a scope, for a host, or with middlewares. @throws E_ROUTE_PATH, E_ROUTE_INVALID */
export function choose<const Routers extends readonly Router[], const Scope extends string = "">(
  routers: Routers,
  scopeOptions: ScopeOptions<Scope> = {},
): Router<Prefixed<Scope, Routers[number]>> {
  const scope = normalizePath(scopeOptions.scope ?? scopeOptions.path ?? "/");
  const { middlewares = [], matchers = {} } = scopeOptions;
  const subject = scope === "/" ? "call of choose" : `call of choose with the scope "${scope}"`;
  requireEntries(routers, isRouter, subject, "routers");
  requireMiddlewares(middlewares, subject);
  requireMatchers(scope, matchers);
  const host = scopeOptions.host?.toLowerCase();
  if (host !== undefined && !/^(?:\*\.)?[a-z\d._-]+$/.test(host)) {
    throw errors.E_ROUTE_PATH(scope, `"${host}" is not a host: write a name without port, or *.name`);
  }
  return {
    routes: routers.flatMap(({ routes }) =>
      routes.map((route) => ({
        ...route,
        path: joinPaths(scope, route.path),
        matchers: mergeMatchers(joinPaths(scope, route.path), matchers, route.matchers),
        host: route.host ?? host,
        // A placeholder has no middlewares: one of them could respond instead of the 404.
        middlewares: route.isPlaceholder ? [] : [...middlewares, ...route.middlewares],
        prefersJson: route.prefersJson || somePreferJson(middlewares),
      })),
    ),
  };
}

const isRouter = (value: unknown): boolean => Array.isArray((value as Partial<Router> | null | undefined)?.routes);

const somePreferJson = (middlewares: readonly Middleware[] = []): boolean =>
  middlewares.some(({ prefersJson }) => prefersJson === true);

/** Named paths of routers below a scope. Names of type `string` are left out. */
type Prefixed<Scope extends string, R> =
  R extends Router<infer Named>
    ? Named extends readonly [infer Name extends string, infer Path extends string]
      ? string extends Name
        ? never
        : readonly [Name, `${Scope}${Path}`]
      : never
    : never;

function joinPaths(scope: string, path: string): string {
  if (scope === "/") return path;
  if (scope.includes("/*")) throw errors.E_ROUTE_PATH(scope + path, "a wildcard must be the last segment");
  return path === "/" ? scope : scope + path;
}

const segmentPattern = /^(?::[A-Za-z_]\w*(?:<\w+>)?\??|\*[A-Za-z_]\w*|[^:*?#%\\\s][^?#%\\]*)$/;

/** Parameters of other frameworks: `{id}`, `<id>`, `[id]`. As text they would match only themselves. */
const foreignParameterPattern = /^(?:\{.*\}|<.*>|\[.*\])$/;

/** Returns a parameter of another framework in the syntax of this one. */
function parameterOf(segment: string): string {
  const [, rest = "", name = "name"] = /^.(\*|\.{3})?([A-Za-z_]\w*).$/.exec(segment) ?? [];
  return rest === "" ? `:${name}` : `*${name}`;
}

function normalizePath(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  if (trimmed === "") return "/";
  if (!trimmed.startsWith("/")) throw errors.E_ROUTE_PATH(path, "it must begin with a slash");
  const segments = trimmed.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    if (foreignParameterPattern.test(segment)) {
      throw errors.E_ROUTE_PATH(path, `"${segment}" is not a segment: write ${parameterOf(segment)} for a parameter`);
    }
    if (!segmentPattern.test(segment) || segment === "." || segment === "..") {
      throw errors.E_ROUTE_PATH(
        path,
        `"${segment}" is not a segment: write text (decoded), :name, :name<uuid>, :name<int>, :name? or *name`,
      );
    }
    if (segment.startsWith("*") && index < segments.length - 1) {
      throw errors.E_ROUTE_PATH(path, "a wildcard must be the last segment");
    }
    if (/^[:*]__proto__/.test(segment)) throw errors.E_ROUTE_PATH(path, "a parameter cannot be named __proto__");
  }
  return trimmed;
}

/** Segments of a path: `:id` and `:id<uuid>` match one segment, `:id?` one or none, `*rest` one or more at the end. */
type Segments<Path extends string> = Path extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : Path;
type Required<Segment extends string> = Segment extends `:${string}?`
  ? never
  : Segment extends `:${infer Name}` | `*${infer Name}`
    ? WithoutType<Name>
    : never;
type Optional<Segment extends string> = Segment extends `:${infer Name}?` ? WithoutType<Name> : never;
type WithoutType<Name extends string> = Name extends `${infer Untyped}<${string}>` ? Untyped : Name;

/** Matchers of a path that declares none. */
type NoMatchers = Readonly<Record<"", Matcher>>;
/** Type of the value of a segment: what its matcher returns, or text. */
type Value<
  Segment extends string,
  Own extends Matchers,
> = Segment extends `${string}<${infer Type extends keyof Own & string}>${string}`
  ? Exclude<ReturnType<Own[Type]>, undefined>
  : string;

/**
 * Parameters of a path, inferred from its literal type: `/lists/:list/todos/:id` has `{ list: string; id: string }`. A path
 * of type `string` has a parameter of every name. `Own` are the matchers of the route.
 */
export type PathParams<Path extends string, Own extends Matchers = NoMatchers> = string extends Path
  ? Readonly<Record<string, string>>
  : [Optional<Segments<Path>>] extends [never]
    ? { readonly [Segment in Segments<Path> as Required<Segment>]: Value<Segment, Own> }
    : { readonly [Segment in Segments<Path> as Required<Segment>]: Value<Segment, Own> } & {
        readonly [Segment in Segments<Path> as Optional<Segment>]?: Value<Segment, Own>;
      };
