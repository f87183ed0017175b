import { errors } from "../errors.ts";
import { encodePath, httpErrors, Key, type Request } from "../../http/message/index.ts";

/** Position of a route in its resource, from which the paths of the list and of the item are computed. */
export interface RoutePosition {
  /** Path of the parents, with its parameters: `/projects/:project`, or an empty text. */
  readonly parentPath: string;
  /** Path of the resource below its parents: `/issues`. */
  readonly resourcePath: string;
  /** True if the routes of items are not below the parents. */
  readonly isShallow: boolean;
  /** True if the route belongs to an item, and not to the list. */
  readonly isItem: boolean;
  /** Number of segments after the path of the list, or of a singular resource. */
  readonly depth: number;
}

/** Position of the route that answers a request. */
export const routePosition: Key<RoutePosition> = new Key("position of the route in its resource");

const parentsKey: Key<Readonly<Record<string, string>>> = new Key("parents of a shallow item");

/** Sets the parents of the item that a request to a shallow route is about. */
export function setParents(request: Request, params: Readonly<Record<string, string>>): void {
  request.set(parentsKey, params);
}

/** Returns the URL path of a request, with prefix and scopes, without the query. */
export const urlPathOf = (request: Request): string => request.prefix + encodePath(request.path);

/**
 * Returns the URL path of the list of the resource that a request belongs to, with `PREFIX_PATH` and scopes: `/shop/todos`. For
 * the links and forms of its view, wherever the routes of the resource are. For a singular resource, it is the path of its item.
 *
 * @throws E_RESOURCE_MISSING if the request belongs to no resource, and for an item of a shallow resource before it is found
 * @example
 * html`<a href="${Web.Rest.listPath(request)}/new">New to-do</a>`
 */
export function listPath(request: Request): string {
  const position = positionOf(request);
  const path = withoutLast(urlPathOf(request), position.depth);
  if (!position.isShallow || !position.isItem) return path;
  const params = request.get(parentsKey);
  if (params === undefined) throw errors.E_RESOURCE_MISSING();
  const scope = withoutLast(path, segmentCount(position.resourcePath));
  return scope + fillPath(position.parentPath, params) + encodePath(position.resourcePath);
}

/**
 * Returns the URL path of an item of the resource of a request: `/shop/todos/4d1f…`, without parents for a shallow one.
 *
 * @throws E_RESOURCE_MISSING if the request belongs to no resource
 * @example
 * html`<a href="${Web.Rest.itemPath(request, todo.id)}/edit">Edit</a>`
 */
export function itemPath(request: Request, id: string): string {
  const { depth, isShallow, isItem, parentPath, resourcePath } = positionOf(request);
  const path = withoutLast(urlPathOf(request), depth);
  const encodedId = encodeURIComponent(id);
  if (!isShallow || isItem) return `${path}/${encodedId}`;
  const scope = withoutLast(path, segmentCount(parentPath) + segmentCount(resourcePath));
  return `${scope}${encodePath(resourcePath)}/${encodedId}`;
}

/** Returns the list path for a request to an item. A controller may also be called from a route of its own. */
export function listPathOfItem(request: Request): string {
  return request.get(routePosition) === undefined ? withoutLast(urlPathOf(request), 1) : listPath(request);
}

/** Returns the path of an item for a request to its list. A controller may also be called from a route of its own. */
export function itemPathOfList(request: Request, id: string): string {
  if (request.get(routePosition) === undefined) return `${urlPathOf(request)}/${encodeURIComponent(id)}`;
  return itemPath(request, id);
}

function positionOf(request: Request): RoutePosition {
  const position = request.get(routePosition);
  if (position === undefined) throw errors.E_RESOURCE_MISSING();
  return position;
}

function withoutLast(path: string, count: number): string {
  const segments = path.split("/");
  return segments.slice(0, segments.length - count).join("/");
}

const segmentCount = (path: string): number => path.split("/").length - 1;

/** Fills in the parameters of a path. @throws E_NOT_FOUND without one of them, as such a path does not exist */
function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)(?:<\w+>)?/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === "") throw httpErrors.E_NOT_FOUND();
    return encodeURIComponent(value);
  });
}
