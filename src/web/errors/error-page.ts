import { hash } from "node:crypto";
import { html, unsafeHtml } from "../../html/index.ts";
import { explain, type Failure } from "./failure.ts";
import { type Request, Response } from "../../http/message/index.ts";

/**
 * The response that tells a client what failed: a page, or for a client that would rather have JSON a problem document
 * (RFC 9457) with `type`, `title`, `status`, `detail`, `code`, `requestId` and `errors`.
 */
export function errorResponse(request: Request, failure: Failure): Response {
  return request.wants("json") ? problem(failure, request.id) : page(failure, request);
}

/** The problem document of a failure (RFC 9457), for clients that take JSON only. */
export function problem(failure: Failure, requestId: string): Response {
  const [title, detail] = explain(failure.status);
  const document = { type: "about:blank", title, detail, ...failure, requestId, headers: undefined };
  const response = Response.json(document, { status: failure.status, headers: failure.headers ?? {} });
  return response.withHeader("content-type", "application/problem+json").withDefaultHeaders(common);
}

const common = { "cache-control": "no-store", vary: "accept" };

const style = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6474;--paper:#fbfaf7;--line:#1d243322;--accent:#3b5bdb}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a0a8b8;--paper:#14161c;--line:#ffffff22;--accent:#91a7ff}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;
background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif}
main{max-width:32rem;width:100%}.status{margin:0;font-size:.875rem;font-weight:600;letter-spacing:.08em;color:var(--accent)}
h1{margin:.25rem 0 .75rem;font-size:clamp(1.75rem,6vw,2.5rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
p{margin:0 0 1rem;overflow-wrap:anywhere}a{color:var(--accent)}a:focus-visible{outline:3px solid;outline-offset:3px}
footer{margin-top:2rem;padding-top:1rem;border-top:1px solid var(--line);font-size:.8125rem;color:var(--soft)}
code{font-family:ui-monospace,monospace;user-select:all}`;

/** The page brings its own style and needs nothing else: no script, no image, no other request. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const styleElement = unsafeHtml(`<style>${style}</style>`);

function page(failure: Failure, request: Request): Response {
  const { status } = failure;
  const [title, detail] = explain(status);
  const content = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${failure.title ?? title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <p class="status">${status}</p>
          <h1>${failure.title ?? title}</h1>
          <p>${failure.detail ?? detail}</p>
          <p><a href="${request.prefix}/">Go to the start page</a></p>
          <footer>Request <code>${request.id}</code></footer>
        </main>
      </body>
    </html> `;
  return Response.html(content, { status, headers: failure.headers ?? {} })
    .withDefaultHeaders(common)
    .withDefaultHeaders({ "content-security-policy": policy });
}
