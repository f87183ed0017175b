import { editDistance } from "../../../core/index.ts";
import { encodePath, type Request } from "../../../http/message/index.ts";
import { expandOptionalSegments, type Method, parseParameter, type Route } from "../../../http/router/index.ts";

/** Route that is similar to the path of a request. */
export interface NearRoute {
  readonly route: Route;
  readonly methods: string;
  /** Path with the values of the request instead of the parameters, for a link; `undefined` if it cannot be requested. */
  readonly href: string | undefined;
}

const maxRoutes = 6;

// Costs of the differences between a path and a pattern. A segment that is missing or too many costs 1.
const parameterCost = 0.1;
const typeCost = 0.3;
const wildcardCost = 0.2;
const caseCost = 0.05;
const methodCost = 0.5;

/** Returns at most six routes by the distance of method and path from those of a request, the nearest first. */
export function nearestRoutes(request: Request, routes: readonly Route[]): readonly NearRoute[] {
  const path = segmentsOf(request.path);
  return routes
    .filter(({ isPlaceholder }) => !isPlaceholder)
    .map((route) => {
      const patterns = expandOptionalSegments(route.path).map(segmentsOf);
      const pathDistance = Math.min(...patterns.map((pattern) => distanceOf(path, pattern)));
      const isOtherMethod = !route.methods.includes(request.method as Method) && request.method !== "HEAD";
      const href = hrefOf(route, path, patterns);
      const near: NearRoute = { route, methods: methodsText(route), href: href && request.prefix + href };
      return { near, distance: pathDistance + (isOtherMethod ? methodCost : 0) };
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxRoutes)
    .map(({ near }) => near);
}

const methodsText = ({ methods }: Route): string => (methods.length === 7 ? "ANY" : methods.join(", "));

const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

/** Returns the cost of the cheapest alignment of the segments of a path with those of a pattern. */
function distanceOf(path: readonly string[], pattern: readonly string[]): number {
  let previousRow = pattern.map((_, index) => index + 1);
  previousRow.unshift(0);
  for (const [row, segment] of path.entries()) {
    const currentRow = [row + 1];
    for (const [column, expected] of pattern.entries()) {
      const isWildcard = expected.startsWith("*");
      currentRow.push(
        Math.min(
          (previousRow[column] ?? 0) + segmentCost(segment, expected),
          (previousRow[column + 1] ?? 0) + (isWildcard ? 0 : 1),
          (currentRow[column] ?? 0) + 1,
        ),
      );
    }
    previousRow = currentRow;
  }
  return previousRow.at(-1) ?? 0;
}

/** Returns the cost of a segment of a path where the pattern has another one: 0 for the same, up to 1. */
function segmentCost(segment: string, expected: string): number {
  if (segment === expected) return 0;
  const parameter = parseParameter(expected);
  if (parameter?.isWildcard === true) return wildcardCost;
  if (parameter !== undefined) return parameter.type === "text" ? parameterCost : parameterCost + typeCost;
  const [given, wanted] = [segment.toLowerCase(), expected.toLowerCase()];
  const maxLength = Math.max(given.length, wanted.length);
  return caseCost + (1 - caseCost) * (editDistance(given, wanted) / maxLength);
}

/** Returns the path of a link to a route: with the segments of the request as its parameters, if it has as many. */
function hrefOf(route: Route, path: readonly string[], patterns: readonly (readonly string[])[]): string | undefined {
  if (!route.methods.includes("GET") || route.host !== undefined) return undefined;
  const pattern = patterns.find(({ length }) => length === path.length) ?? patterns.at(-1) ?? [];
  const segments = pattern.map((expected, index) => {
    const parameter = parseParameter(expected);
    if (parameter === undefined) return expected;
    return pattern.length === path.length && parameter.type === "text" ? path[index] : undefined;
  });
  return segments.includes(undefined) ? undefined : encodePath(`/${segments.join("/")}`);
}
