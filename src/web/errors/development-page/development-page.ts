import { channel } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { LogInternals } from "../../../log/index.ts";
import { ConfigurationInternals } from "../../../config/index.ts";
import { isError, type RequestStatements, requestStatementsChannelName } from "../../../core/index.ts";
import { html, type Html } from "../../../html/index.ts";
import { type Request, Response } from "../../../http/message/index.ts";
import { type Frame, isApplicationFrame, parseStack, sourceExcerpt } from "../../../core/stack.ts";
import { pagePolicy, pageStyle, renderPage } from "../../page/index.ts";
import { declarationFrame, type ProjectFrames, projectFrames } from "./project-frame.ts";

const contextLines = 6;
const maxCauses = 5;
/** Additional rules of the page: stack frames and source lines. */
const style = pageStyle(`
.kicker{color:var(--error-text)}
h1{white-space:pre-wrap}
details{margin:0 0 .375rem;background:var(--surface);border:1px solid var(--border);border-radius:var(--radius);overflow:auto}
summary{padding:.5rem 1rem;font:.875rem/1.6 ui-monospace,monospace;cursor:pointer}summary .meta{font-size:inherit}
.source{margin:0;padding:.5rem 0;list-style:none;min-width:max-content;font:.875rem/1.6 ui-monospace,monospace}
details .source{border-top:1px solid var(--border)}details details{margin:.375rem}
.source li{display:flex;padding:0 1rem;white-space:pre;tab-size:2}
.source span{width:3.5rem;flex:none;color:var(--muted);user-select:none}.source code{font-size:inherit}
.source [aria-current]{background:var(--error-background);box-shadow:inset 3px 0 var(--error-text)}
dt,dd{font:.875rem/1.6 ui-monospace,monospace}`);
const policy = pagePolicy(style);

/**
 * Renders an error with its details: as a page, or for clients that prefer JSON as a problem document with message and
 * stack. Returns `undefined` if the thrown value cannot be rendered.
 */
export async function developmentResponse(
  request: Request,
  thrown: unknown,
  status: number,
): Promise<Response | undefined> {
  try {
    if (request.wants("json")) return developmentProblem(request, thrown, status);
    return await developmentPage(request, thrown, status);
  } catch {
    return undefined;
  }
}

function developmentProblem(request: Request, thrown: unknown, status: number): Response {
  const root = ConfigurationInternals.root();
  const frames = framesOf(thrown);
  const ownFrames = frames.filter((frame) => isApplicationFrame(frame, root));
  const document = {
    type: "about:blank",
    title: errorNameOf(thrown),
    status,
    detail: errorMessageOf(thrown),
    requestId: request.id,
    stack: (ownFrames.length > 0 ? ownFrames : frames).map(
      (frame) => `${frame.name || "(anonymous)"} ${locationOf(frame, root)}`,
    ),
  };
  const headers = { "content-type": "application/problem+json", "cache-control": "no-store" };
  return Response.json(document, { status, headers });
}

/** Footer of a page that only development shows. */
export const developmentFooter: Html = html`<footer>
  This page is shown because FRAMEWORK_ENV is development. In production, users see a short page with the request ID.
</footer>`;

/** Renders message, stack with source, causes, statements, and the request with its secrets redacted. */
async function developmentPage(request: Request, thrown: unknown, status: number): Promise<Response> {
  const { matchedRoute } = request;
  const requestRows = [
    ["method", request.method],
    ["path", request.path],
    ...(matchedRoute === undefined ? [] : [["route", `${matchedRoute.method} ${matchedRoute.pattern}`] as const]),
    ...(await request.describeValues()),
    ["id", request.id],
    ["from", request.ip],
  ] as const;
  const root = ConfigurationInternals.root();
  const causes = causesOf(thrown);
  const stacks = [thrown, ...causes].map((error) => projectFrames(framesOf(error), root));
  const routeNote = stacks.every(({ main }) => main === undefined) && routeSection(request, stacks, root);
  const content = html`${errorSection(thrown, root, routeNote)}
  ${causes.map(
    (cause) =>
      html`<h2>Caused by</h2>
        ${errorSection(cause, root)}`,
  )}
  ${pairSection("Statements", statementsOf(request, root))} ${pairSection("Request", requestRows)}
  ${pairSection("Query", redactedQuery(request))} ${pairSection("Headers", redactedHeaders(request))}
  ${developmentFooter}`;
  return Response.html(renderPage({ language: "en", title: errorMessageOf(thrown), content, style }), {
    status,
    headers: { "cache-control": "no-store", "content-security-policy": policy },
  });
}

function errorSection(thrown: unknown, root: string, routeNote: Html | false = false): Html {
  const frames = framesOf(thrown);
  const { main } = projectFrames(frames, root);
  // The first line states the problem. Further lines, such as a statement of SQL, are details.
  const [headline = "", ...details] = errorMessageOf(thrown).split("\n");
  return html`<p class="kicker">${errorNameOf(thrown)}</p>
    <h1>${headline}</h1>
    ${details.length > 0 && html`<pre class="card">${details.join("\n")}</pre>`}
    ${!tryRead(() => thrown instanceof Error, false) && html`<p>${thrownValueHint}</p>`}
    ${main === undefined ? routeNote : sourceCard(main, root)} ${frames.length > 0 && html`<h2>Stack</h2>`}
    ${foldedFrames(frames, root)}`;
}

const thrownValueHint = "Throw an Error: throw new Error(…). Only an error contains the line that throws it.";

/** Renders the frames of the project one by one, and consecutive ones of others as one line that opens. */
function foldedFrames(frames: readonly Frame[], root: string): readonly Html[] {
  const groups: { readonly isOfProject: boolean; readonly group: Frame[] }[] = [];
  for (const frame of frames) {
    const isOfProject = isApplicationFrame(frame, root);
    const last = groups.at(-1);
    if (isOfProject || last === undefined || last.isOfProject) groups.push({ isOfProject, group: [frame] });
    else last.group.push(frame);
  }
  return groups.map(({ isOfProject, group }) => {
    const details = group.map((frame) => frameDetails(frame, root));
    if (isOfProject) return html`${details}`;
    const summary = `${group.length} ${group.length === 1 ? "frame" : "frames"} of packages and Node`;
    return html`<details>
      <summary class="meta">${summary}</summary>
      ${details}
    </details> `;
  });
}

const maxStatements = 50;

/** Returns the statements that the request has run, with their lines of the project. */
function statementsOf(request: Request, root: string): readonly (readonly [string, string])[] {
  const { id: requestId } = request;
  const question: RequestStatements = { requestId, statements: [] };
  channel(requestStatementsChannelName).publish(question);
  return question.statements.slice(0, maxStatements).map(({ text, count, at }) => {
    const [frame] = parseStack(`    at ${at}`);
    const location = frame === undefined ? at : locationOf(frame, root);
    return [count === 1 ? location : `${location} (${count} times)`, text];
  });
}

function sourceCard(frame: Frame, root: string): Html {
  return html`<p class="meta">${locationOf(frame, root)}</p>
    <div class="card">${sourceList(frame)}</div>`;
}

/** Names the route of an error without a line of the project, with its declaration under the development server. */
function routeSection({ matchedRoute }: Request, stacks: readonly ProjectFrames[], root: string): Html | false {
  if (matchedRoute === undefined) return false;
  const { method, pattern, handlerName, declaration } = matchedRoute;
  const frame = declarationFrame(declaration, root);
  const exception =
    stacks.some(({ hasPassThrough }) => hasPassThrough) && ", only middlewares that passed the error on";
  return html`<p>
      The stack has no line of the project${exception}. The request ran
      ${handlerName !== "" && html`the handler <code>${handlerName}</code> of `}the route
      <code>${method} ${pattern}</code>${frame && ", which this line declares"}.
    </p>
    ${frame && sourceCard(frame, root)}`;
}

function frameDetails(frame: Frame, root: string): Html {
  const hasSource = !frame.file.startsWith("node:");
  return html`<details>
    <summary>${frame.name || "(anonymous)"} <span class="meta">${locationOf(frame, root)}</span></summary>
    ${hasSource && sourceList(frame)}
  </details> `;
}

function sourceList(frame: Frame): Html {
  const lines = sourceExcerpt(frame, contextLines).map(({ number, text }) =>
    number === frame.line
      ? html`<li aria-current="true"><span>${number}</span><code>${text}</code></li>`
      : html`<li><span>${number}</span><code>${text}</code></li>`,
  );
  return html`<ol class="source">
    ${lines}
  </ol>`;
}

function pairSection(title: string, pairs: readonly (readonly [string, string])[]): Html | undefined {
  if (pairs.length === 0) return undefined;
  const rows = pairs.map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<h2>${title}</h2>
    <dl class="card">${rows}</dl>`;
}

/** Reads a thrown value, whose getters, traps and methods may throw themselves. */
function tryRead<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

const framesOf = (thrown: unknown): readonly Frame[] =>
  tryRead(() => (thrown instanceof Error ? parseStack(thrown.stack ?? "") : []), []);

function locationOf({ file, line, column }: Frame, root: string): string {
  return `${file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file}:${line}:${column}`;
}

function errorNameOf(thrown: unknown): string {
  const typeName = `thrown ${typeof thrown}`;
  if (isError(thrown)) return thrown.code;
  return tryRead(() => (thrown instanceof Error ? String(thrown.name as unknown) : typeName), typeName);
}

function errorMessageOf(thrown: unknown): string {
  const read = (): string => {
    const text: unknown = thrown instanceof Error ? thrown.message || thrown.name : inspect(thrown);
    return String(text);
  };
  return tryRead(read, "The thrown value cannot be shown: reading it throws an error.");
}

function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  let current = thrown;
  const causeOf = (value: unknown): unknown =>
    tryRead(() => (value instanceof Error ? value.cause : undefined), undefined);
  while (causes.length < maxCauses && (current = causeOf(current)) !== undefined) causes.push(current);
  return causes;
}

/** Placeholder of a secret value. */
export const redacted = "•••";

/** Returns the headers of a request with secrets redacted; the names of its cookies are kept. */
export function redactedHeaders(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.headers, ([name, value]) => {
    if (name === "cookie") return [name, request.cookies.map(([cookie]) => `${cookie}=${redacted}`).join("; ")];
    return [name, isSecretName(name) ? redacted : value];
  });
}

/** Returns the query parameters of a request with secrets redacted. */
export function redactedQuery(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.query, ([name, value]) => [name, isSecretName(name) ? redacted : value]);
}

function isSecretName(name: string): boolean {
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return LogInternals.secretNames.some((fragment) => bare.includes(fragment));
}
