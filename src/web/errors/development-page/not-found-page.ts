import { ConfigurationInternals } from "../../../config/index.ts";
import { html, type Html } from "../../../html/index.ts";
import { encodePath, httpErrors, type Request, Response } from "../../../http/message/index.ts";
import {
  expandOptionalSegments,
  type Method,
  methods as allMethods,
  parseParameter,
  type Route,
} from "../../../http/router/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../page/index.ts";
import { problem } from "../error-page.ts";
import { failureOf } from "../failure.ts";
import { developmentFooter } from "./development-page.ts";
import { declarationFrame } from "./project-frame.ts";
import { editDistance } from "../../../core/index.ts";

const tableStyle = pageStyle(`
table{width:100%;border-collapse:collapse}
caption,th{padding:.5rem 1.25rem;text-align:left}th,.source{color:var(--muted);font-size:.875rem;font-weight:400}
td{padding:.625rem 1.25rem;border-top:1px solid var(--border);vertical-align:baseline}
.method,th{white-space:nowrap}
@media(max-width:40rem){thead{position:absolute;clip-path:inset(50%)}table,tbody{display:block}
tr{display:grid;grid-template-columns:4.5rem 1fr;gap:.125rem .5rem;padding:.625rem 1.25rem}tr+tr{border-top:1px solid var(--border)}
td{padding:0;border:0}.source{grid-column:2}}`);
const tablePolicy = pagePolicy(tableStyle);

/**
 * Responds to a request that no route matches, in development: as a page that lists the nearest routes with links, or for
 * clients that prefer JSON as a problem document with the property `nearestRoutes`.
 */
export function notFoundResponse(request: Request, routes: readonly Route[]): Response {
  const failure = failureOf(
    httpErrors.E_NOT_FOUND(` No route matches ${request.path}. The command "routes" lists all routes.`),
  );
  const nearest = nearestRoutes(request, routes);
  if (request.wants("json")) {
    const names = nearest.map(({ methods, route }) => `${methods} ${request.prefix}${route.path}`);
    return problem({ ...failure, nearestRoutes: names } as typeof failure, request.id);
  }
  const content = html`<p class="kicker">404</p>
    <h1>No route matches ${request.method} ${request.prefix}${request.path}</h1>
    <p>The command <code>npm run app routes</code> lists all routes.</p>
    ${nearest.length > 0 && routeTable(nearest, request)} ${developmentFooter}`;
  return Response.html(renderPage({ language: "en", title: "No route matches", content, style: tableStyle }), {
    status: 404,
    headers: { "cache-control": "no-store", vary: "accept", "content-security-policy": tablePolicy },
  });
}

function routeTable(nearest: readonly NearRoute[], { prefix }: Request): Html {
  return html`<h2>Nearest routes</h2>
    <div class="card">
      <table>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Path</th>
            <th scope="col">Declared in</th>
          </tr>
        </thead>
        <tbody>
          ${nearest.map(
            ({ route, methods, href }) =>
              html`<tr>
                <td class="method">${methods}</td>
                <td>
                  ${href === undefined ? pathOf(route, prefix) : html`<a href="${href}">${pathOf(route, prefix)}</a>`}
                </td>
                <td class="source">${declaredIn(route)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

const pathOf = ({ host, path }: Route, prefix: string): Html => html`<code>${host}${prefix}${path}</code>`;

/** Returns file and line of a route's declaration, which only the development server records. */
function declaredIn({ declaration }: Route): string | undefined {
  const root = ConfigurationInternals.root();
  const frame = declarationFrame(declaration, root);
  return frame && `${frame.file.slice(root.length + 1)}:${frame.line}`;
}

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

const methodsText = ({ methods }: Route): string => (methods.length === allMethods.length ? "ANY" : methods.join(", "));

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
  if (parameter !== undefined) return parameter.type === undefined ? parameterCost : parameterCost + typeCost;
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
    return pattern.length === path.length && parameter.type === undefined ? path[index] : undefined;
  });
  return segments.includes(undefined) ? undefined : encodePath(`/${segments.join("/")}`);
}
