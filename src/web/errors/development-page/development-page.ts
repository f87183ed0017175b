import { hash } from "node:crypto";
import { inspect } from "node:util";
import { Configuration } from "../../../config/index.ts";
import { isError } from "../../../core/index.ts";
import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import { type Request, Response } from "../../../http/message/index.ts";
import { visibleHeaders, visibleQuery } from "./blank.ts";
import { excerpt } from "./excerpt.ts";
import { type Frame, isOwn, parseStack } from "./stack.ts";
import { style } from "./style.ts";

const linesAround = 6;
const deepestCause = 5;
const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; frame-ancestors 'none'`;
const styleElement = unsafeHtml(`<style>${style}</style>`);

/**
 * The answer that shows a programmer what failed: a page, or for a client that would rather have JSON a problem document
 * with the message and the stack. `undefined` when what was thrown is such that it cannot be shown.
 */
export function developmentAnswer(request: Request, thrown: unknown, status: number): Response | undefined {
  try {
    return request.wants("json") ? problem(request, thrown, status) : page(request, thrown, status);
  } catch {
    return undefined;
  }
}

function problem(request: Request, thrown: unknown, status: number): Response {
  const root = Configuration.root();
  const frames = thrown instanceof Error ? parseStack(thrown.stack ?? "") : [];
  const document = {
    type: "about:blank",
    title: kindOf(thrown),
    status,
    detail: messageOf(thrown),
    requestId: request.id,
    stack: frames.map((frame) => `${frame.name || "(anonymous)"} ${placeOf(frame, root)}`),
  };
  const headers = { "content-type": "application/problem+json", "cache-control": "no-store" };
  return Response.json(document, { status, headers });
}

/** Message, stack with source, causes, and the request with its secrets blanked. Brings all that it needs, loads nothing. */
function page(request: Request, thrown: unknown, status: number): Response {
  const content = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${messageOf(thrown)}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          ${errorSection(thrown)}
          ${causesOf(thrown).map(
            (cause) =>
              html`<h2>Caused by</h2>
                ${errorSection(cause)}`,
          )}
          <h2>Request</h2>
          <div class="card">
            ${table([
              ["method", request.method],
              ["path", request.path],
              ["id", request.id],
              ["from", request.ip],
            ])}
          </div>
          ${section("Query", visibleQuery(request))} ${section("Headers", visibleHeaders(request))}
          <footer>
            You see this because FRAMEWORK_ENV is development. In production it is a short page with the request's id.
          </footer>
        </main>
      </body>
    </html> `;
  return Response.html(content, {
    status,
    headers: { "cache-control": "no-store", "content-security-policy": policy },
  });
}

function errorSection(thrown: unknown): Html {
  const root = Configuration.root();
  const frames = thrown instanceof Error ? parseStack(thrown.stack ?? "") : [];
  const main = frames.find((frame) => isOwn(frame, root)) ?? frames[0];
  return html`<p class="kind">${kindOf(thrown)}</p>
    <h1>${messageOf(thrown)}</h1>
    ${
      main &&
      html`<p class="soft">${placeOf(main, root)}</p>
        <div class="card">${source(main)}</div>`
    }
    ${frames.length > 0 && html`<h2>Stack</h2>`} ${frames.map((frame) => frameOf(frame, root))}`;
}

function frameOf(frame: Frame, root: string): Html {
  const isKnown = !frame.file.startsWith("node:");
  return html`<details>
    <summary>${frame.name || "(anonymous)"} <span class="place">${placeOf(frame, root)}</span></summary>
    ${isKnown && source(frame)}
  </details> `;
}

function source(frame: Frame): Html {
  const lines = excerpt(frame, linesAround).map(({ number, text }) =>
    number === frame.line
      ? html`<li aria-current="true"><span>${number}</span><code>${text}</code></li>`
      : html`<li><span>${number}</span><code>${text}</code></li>`,
  );
  return html`<ol class="source">
    ${lines}
  </ol>`;
}

function section(title: string, pairs: readonly (readonly [string, string])[]): Html | undefined {
  return pairs.length === 0
    ? undefined
    : html`<h2>${title}</h2>
        <div class="card">${table(pairs)}</div>`;
}

function table(pairs: readonly (readonly [string, string])[]): Html {
  return html`<table>
    ${pairs.map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td>${value}</td>
        </tr>`,
    )}
  </table>`;
}

function placeOf({ file, line, column }: Frame, root: string): string {
  return `${file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file}:${line}:${column}`;
}

function kindOf(thrown: unknown): string {
  if (isError(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : `thrown ${typeof thrown}`;
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  return inspect(thrown);
}

function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let current = thrown;
  while (current instanceof Error && current.cause !== undefined && causes.length < deepestCause) {
    current = current.cause;
    causes.push(current);
  }
  return causes;
}
