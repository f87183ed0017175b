import { LanguageInternals } from "../../language/index.ts";
import { html } from "../../html/index.ts";
import { pagePolicy, renderPage, sharedStyle } from "../page/index.ts";
import { explain, type Failure, problemCode } from "./failure.ts";
import { type Request, Response } from "../../http/message/index.ts";

/** Renders a failure as a page, or for clients that prefer JSON as a problem document (RFC 9457). */
export function errorResponse(request: Request, failure: Failure): Response {
  return request.wants("json") ? problem(failure, request.id) : errorPage(failure, request);
}

/** Renders a failure as a problem document (RFC 9457), whatever the client accepts. */
export function problem(failure: Failure, requestId: string): Response {
  const [title, detail] = explain(failure.status);
  const document = { type: "about:blank", title, detail, ...failure, requestId, headers: undefined };
  const response = Response.json(document, { status: failure.status, headers: failure.headers ?? {} });
  return response
    .withHeader("content-type", "application/problem+json")
    .withDefaultHeaders(common)
    .withValue(problemCode, failure.code);
}

const common = { "cache-control": "no-store", vary: "accept" };

const policy = pagePolicy(sharedStyle);

function errorPage(failure: Failure, request: Request): Response {
  const { status } = failure;
  const [title, detail] = explain(status);
  const { startPage, request: requestWord } = LanguageInternals.frameworkTexts().responses;
  const content = html`<p class="kicker">${status}</p>
    <h1>${failure.title ?? title}</h1>
    <p>${failure.detail ?? detail}</p>
    <p><a href="${request.prefix}/">${startPage}</a></p>
    <footer>${requestWord} <code>${request.id}</code></footer>`;
  const page = renderPage({ title: failure.title ?? title, content, isCentered: true });
  return Response.html(page, { status, headers: failure.headers ?? {} })
    .withDefaultHeaders(common)
    .withDefaultHeaders({ "content-security-policy": policy });
}
