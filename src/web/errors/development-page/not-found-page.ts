import { ConfigurationInternals } from "../../../config/index.ts";
import { html, type Html } from "../../../html/index.ts";
import { httpErrors, type Request, Response } from "../../../http/message/index.ts";
import type { Route } from "../../../http/router/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../page/index.ts";
import { problem } from "../error-page.ts";
import { failureOf } from "../failure.ts";
import { type NearRoute, nearestRoutes } from "./nearest-routes.ts";
import { declarationFrame } from "./project-frame.ts";

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
  const failure = failureOf(httpErrors.E_NOT_FOUND(request.path));
  const nearest = nearestRoutes(request, routes);
  if (request.wants("json")) {
    const names = nearest.map(({ methods, route }) => `${methods} ${request.prefix}${route.path}`);
    return problem({ ...failure, nearestRoutes: names } as typeof failure, request.id);
  }
  const content = html`<p class="kicker">404</p>
    <h1>No route matches ${request.method} ${request.prefix}${request.path}</h1>
    <p>The command <code>npm run app routes</code> lists all routes.</p>
    ${nearest.length > 0 && routeTable(nearest, request)}
    <footer>
      This page is shown because FRAMEWORK_ENV is development. In production, users see a short page with the request
      ID.
    </footer>`;
  return Response.html(renderPage({ title: "No route matches", content, style: tableStyle }), {
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
