import { suggest } from "../../core/index.ts";
import { errors } from "../errors.ts";
import type { Request } from "../message/request.ts";
import { parseParameter, readParameter } from "./parameter-type.ts";
import type { ServerContext } from "../message/request-source.ts";
import type { PathParams, Route, Router } from "./route.ts";

/** Query of a link: a value, or several, by name. */
export type LinkQuery = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type NamedPaths<R extends Router> = R extends Router<infer Named> ? Named : never;
type PathOf<R extends Router, Name> = Extract<NamedPaths<R>, readonly [Name, string]>[1];
type IsEmpty<T> = keyof T extends never ? true : false;
type LinkArguments<Params> =
  IsEmpty<Params> extends true ? [params?: Params, query?: LinkQuery] : [params: Params, query?: LinkQuery];

/**
 * Type of `Web.link` for the routes of one router: it accepts only their names, with exactly their parameters.
 *
 * @example
 * import type { router } from "../routes/routes.ts";
 * export const link: Web.Link<typeof router> = Web.link;
 */
export type Link<R extends Router> = <const Name extends NamedPaths<R>[0]>(
  request: Request,
  name: Name,
  ...values: LinkArguments<PathParams<PathOf<R, Name>>>
) => string;

/**
 * Builds the URL path of a named route from its encoded parameters, with `PREFIX_PATH` in front.
 *
 * @throws E_LINK_UNKNOWN for a name that no route has, E_LINK_PARAMETER for a parameter that is missing, empty, of another
 *   type, or would change the path
 * @example
 * html`<a href="${Web.link(request, "todo", { id: todo.id })}">${todo.title}</a>`
 */
export function link(
  request: Request,
  name: string,
  params: Readonly<Record<string, string | undefined>> = {},
  query: LinkQuery = {},
): string {
  const named = request.server.namedPaths.get(name);
  if (named === undefined) {
    const names = [...request.server.namedPaths.keys()];
    throw errors.E_LINK_UNKNOWN(name, names, suggest(name, names)[0]);
  }
  const segments: string[] = [];
  let omitted: string | undefined;
  for (const segment of named.path.slice(1).split("/")) {
    const parameter = parseParameter(segment);
    if (parameter === undefined) {
      segments.push(encodeURIComponent(segment));
      omitted = undefined;
    } else {
      const { name: key, isOptional, isWildcard } = parameter;
      const value = params[key];
      if (isOptional && value === undefined) {
        omitted ??= key;
        continue;
      }
      // The route would take the value for the omitted segment before it.
      if (isOptional && omitted !== undefined) throw errors.E_LINK_PARAMETER(name, omitted);
      omitted = undefined;
      if (readParameter(parameter, value ?? "", named.matchers) === undefined) throw errors.E_LINK_PARAMETER(name, key);
      const parts = isWildcard ? (value ?? "").split("/") : [value ?? ""];
      segments.push(...parts.map((part) => encodeSegment(name, key, part)));
    }
  }
  return `${request.prefix}/${segments.join("/")}${formatQuery(query)}`;
}

function encodeSegment(name: string, key: string, value: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  const isReachable = value !== "" && value !== "." && value !== ".." && !/[/\\\x00-\x1f\x7f]/.test(value);
  if (!isReachable || !value.isWellFormed()) throw errors.E_LINK_PARAMETER(name, key);
  return encodeURIComponent(value);
}

function formatQuery(query: LinkQuery): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [key, String(item)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** Returns the paths of the named routes, by name. */
export function pathsByName(routes: readonly Route[]): ServerContext["namedPaths"] {
  return new Map(
    routes.flatMap(({ name, path, matchers }) => (name === undefined ? [] : [[name, { path, matchers }]])),
  );
}
