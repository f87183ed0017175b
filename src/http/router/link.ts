import { errors } from "../errors.ts";
import type { Request } from "../message/request.ts";
import type { PathParams } from "./path-params.ts";
import type { NamedPath, Route, Router } from "./route.ts";

/** What a link may have beside its parameters: the query, a value or several by name. */
export type LinkQuery = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type Names<R extends Router> = R extends Router<infer Named> ? Named : never;
type PathOf<R extends Router, Name> = Extract<Names<R>, readonly [Name, string]>[1];
type IsEmpty<T> = keyof T extends never ? true : false;
type LinkArguments<Params> =
  IsEmpty<Params> extends true ? [params?: Params, query?: LinkQuery] : [params: Params, query?: LinkQuery];

/**
 * `Web.link` for the routes of one router: only their names, with exactly their parameters.
 *
 * @example
 * import type { router } from "../routes/routes.ts";
 * export const link: Web.Link<typeof router> = Web.link;
 */
export type Link<R extends Router> = <const Name extends Names<R>[0]>(
  request: Request,
  name: Name,
  ...values: LinkArguments<PathParams<PathOf<R, Name>>>
) => string;

/**
 * The address of a named route: its path with the parameters filled in and encoded, `PREFIX_PATH` in front.
 *
 * @throws E_LINK_UNKNOWN for a name that no route has, E_LINK_PARAMETER for a parameter that is missing, empty, or
 *   would be another path.
 * @example
 * html`<a href="${Web.link(request, "todo", { id: todo.id })}">${todo.title}</a>`
 */
export function link(
  request: Request,
  name: string,
  params: Readonly<Record<string, string | undefined>> = {},
  query: LinkQuery = {},
): string {
  const pattern = request.server.namedPaths.get(name);
  if (pattern === undefined) throw errors.E_LINK_UNKNOWN(name, [...request.server.namedPaths.keys()]);
  const segments: string[] = [];
  for (const segment of pattern.slice(1).split("/")) {
    const parameter = /^([:*])(\w+)(\??)$/.exec(segment);
    if (parameter === null) segments.push(encodeURIComponent(segment));
    else {
      const [, kind, key = "", optional] = parameter;
      const value = params[key];
      if (value === undefined && optional === "?") continue;
      segments.push(
        ...(kind === "*" ? (value ?? "").split("/") : [value ?? ""]).map((part) => encode(name, key, part)),
      );
    }
  }
  return `${request.server.prefix}/${segments.join("/")}${queryOf(query)}`;
}

function encode(name: string, key: string, value: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  const isReachable = value !== "" && value !== "." && value !== ".." && !/[/\\\x00-\x1f\x7f]/.test(value);
  if (!isReachable || !value.isWellFormed()) throw errors.E_LINK_PARAMETER(name, key);
  return encodeURIComponent(value);
}

function queryOf(query: LinkQuery): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [key, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** The paths of the routes that have a name. */
export function pathsByName(routes: readonly Route[]): ReadonlyMap<string, string> {
  const named = routes.filter(({ name }) => name !== undefined);
  return new Map(named.map(({ name, path }): NamedPath => [name as string, path]));
}
