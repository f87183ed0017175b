import { hash } from "node:crypto";
import { html, type Html, unsafeHtml } from "../../html/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import type { Schema } from "../../schema/index.ts";
import * as Csrf from "../csrf/csrf.ts";
import { pagePolicy, pageStyle, renderPage } from "../page/index.ts";
import { SessionState } from "../session/session-state.ts";
import type { Document, DocumentInfo } from "./document.ts";
import { exampleOf } from "./example.ts";
import { pageScript } from "./page-script.ts";

type Content = Readonly<Record<string, { readonly schema: Schema.JsonSchema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema.JsonSchema;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
  readonly description?: string;
}

type PathItem = Readonly<Record<string, Operation>>;

/** Parts of a document that the page shows, as `documentOf` builds them. */
interface ShownDocument {
  readonly info: DocumentInfo;
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema.JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

/** Operation with its place in the document. */
interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const documentStyle = pageStyle(`
h1 small{color:var(--muted);font-size:1rem;font-weight:400}h3{margin:1.5rem 0 .5rem;font-size:1rem}
details.card{margin-bottom:.5rem}summary{padding:.75rem 1.25rem;cursor:pointer}summary:focus-visible{outline-offset:-3px}
summary code{font-weight:600}summary .meta{margin-left:.5rem}.content{padding:0 1.25rem 1.25rem}.content dl{padding:0}
.method{display:inline-block;min-width:4.5rem;color:var(--accent);font:600 .875em/1.6 ui-monospace,monospace}
.DELETE{color:var(--error-text)}.tag{color:var(--muted);font-size:.875rem;font-weight:400}
select,textarea{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--input-border);
border-radius:var(--radius);background:var(--background);color:inherit;font:inherit}
textarea{font:.875em/1.6 ui-monospace,monospace}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(18rem,100%),1fr));gap:0 1.25rem;align-items:start}
.result pre{max-height:30rem;margin-top:.5rem;overflow:auto;border-radius:var(--radius);background:var(--background)}
[role=status]{margin:1rem 0 .25rem;font-weight:600}[role=status]:empty,pre:empty{display:none}.result p.meta,form.card>.meta{margin:0}
.field .meta{margin-top:.25rem}`);

const documentPolicy = pagePolicy(documentStyle, {
  "script-src": `'sha256-${hash("sha256", pageScript, "base64")}'`,
  "connect-src": "'self'",
});

/** Renders the content of the page of a document: its operations, each with a form that sends a request. */
export function renderDocument(document: Document, documentPath: string): Html {
  const { info, servers, paths, components } = document as unknown as ShownDocument;
  const prefix = servers[0].url.replace(/\/$/, "");
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methodsOf(item).map(([method, operation]) => ({ method, path: prefix + path, operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? "Operations");
  const render = operationRenderer(components);
  return html`<h1>${info.title} <small>${info.version}</small></h1>
    ${info.description !== undefined && html`<p>${withCode(info.description)}</p>`}
    <p class="meta"><a href="${documentPath}">OpenAPI document</a></p>
    <noscript><p class="message alert">To send requests, allow scripts on this page.</p></noscript>
    ${renderCredentials(components.securitySchemes)}
    ${[...groups].map(
      ([tag, group]) =>
        html`<section>
          <h2>${tag}</h2>
          ${group.map(render)}
        </section>`,
    )}
    ${renderSchemas(components.schemas)} ${unsafeHtml(`<script>${pageScript}</script>`)}`;
}

/** Answers with the page of a document. If the session middleware runs, the page holds a CSRF token. */
export function showDocument(request: Request, title: string, content: Html): Response {
  const csrf = SessionState.has(request) && Csrf.find(request);
  const page = html`<div ?data-csrf=${csrf}>${content}</div>`;
  return Response.html(renderPage({ language: "en", title, content: page, style: documentStyle }), {
    headers: { "cache-control": "no-store", "content-security-policy": documentPolicy, "x-robots-tag": "noindex" },
  });
}

/** Lists the operations of a path. An extension holds those of methods that OpenAPI 3.1 does not know. */
const methodsOf = (item: PathItem): readonly (readonly [method: string, Operation])[] =>
  Object.entries(item).flatMap(([name, value]): readonly (readonly [string, Operation])[] =>
    name.startsWith("x-") ? Object.entries(value as PathItem) : [[name.toUpperCase(), value]],
  );

/** Renders the code of a text in Markdown; the rest stays as it is. */
const withCode = (text = ""): readonly (Html | string)[] =>
  text.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));

/** Renders fields for the credentials that a script can send: a browser itself sends cookies. */
function renderCredentials(schemes: ShownDocument["components"]["securitySchemes"]): Html | undefined {
  const fields = Object.entries(schemes)
    .filter(([, scheme]) => scheme.in !== "cookie")
    .map(
      ([name, { type, scheme = "bearer", in: place = "header", name: key = "authorization", description }], index) => {
        const kind = type === "http" ? scheme.toLowerCase() : type === "apiKey" ? type : "bearer";
        const hint = kind === "basic" ? "Name, a colon and the password" : description;
        const id = `credential-${index}`;
        return html`<div class="field">
          <label for="${id}">${name}</label>
          <input
            type="password"
            id="${id}"
            data-scheme="${name}"
            data-kind="${kind}"
            data-in="${place}"
            data-name="${key}"
            autocomplete="new-password"
            ?aria-describedby=${hint && `${id}-hint`}
          />
          ${hint && html`<div class="meta" id="${id}-hint">${withCode(hint)}</div>`}
        </div>`;
      },
    );
  if (fields.length === 0) return undefined;
  return html`<section>
    <h2>Credentials</h2>
    <form class="card">
      <div class="fields">${fields}</div>
      <p class="meta">They stay in this page until it is closed or reloaded.</p>
    </form>
  </section>`;
}

function operationRenderer({ schemas }: ShownDocument["components"]): (placed: PlacedOperation) => Html {
  let operationCount = 0;
  return ({ method, path, operation }) => {
    const { summary, description, deprecated, security, parameters = [], requestBody, responses = {} } = operation;
    operationCount += 1;
    const id = `operation-${operationCount}`;
    const schemes = [...new Set((security ?? []).flatMap((alternative) => Object.keys(alternative)))];
    const body = requestBody?.content["application/json"]?.schema;
    return html`<details class="card">
      <summary>
        <span class="method ${method}">${method}</span> <code>${path}</code> <span class="meta">${summary}</span>
        ${deprecated === true && html`<span class="tag">(deprecated)</span>`}
      </summary>
      <div class="content">
        ${description !== undefined && html`<p>${withCode(description)}</p>`}
        ${security !== undefined && html`<p class="meta">Credentials: ${credentialsText(security)}</p>`}
        <form
          data-method="${method}"
          data-path="${path}"
          data-schemes="${JSON.stringify(schemes)}"
          aria-label="${method} ${path}"
        >
          <div class="fields">
            ${parameters.map((parameter, index) => renderParameter(parameter, `${id}-${index}`))}
          </div>
          ${body !== undefined && renderBody(body, schemas, `${id}-body`)}
          <button>Send</button>
        </form>
        <div class="result">
          <p role="status"></p>
          <div></div>
        </div>
        <h3>Responses</h3>
        <dl>
          ${Object.entries(responses).map(
            ([status, response]) =>
              html`<dt>${status}</dt>
                <dd>
                  ${withCode(response.description)}
                  ${Object.values(response.content ?? {}).map(({ schema }) => renderSchema(schema))}
                </dd>`,
          )}
        </dl>
      </div>
    </details>`;
  };
}

function credentialsText(security: NonNullable<Operation["security"]>): string {
  if (security.length === 0) return "none";
  const alternatives = security.map((alternative) => {
    const schemes = Object.entries(alternative);
    const names = schemes.map(([name, abilities]) => name + (abilities.length > 0 ? ` (${abilities.join(", ")})` : ""));
    return names.length === 0 ? "none" : names.join(" and ");
  });
  return alternatives.join(" or ");
}

// The fields have no `name`: a form has properties of these names, which a script would find instead of its own.
function renderParameter({ name, in: place, required = false, description, schema }: Parameter, id: string): Html {
  const hint = description && `${id}-hint`;
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : schema["type"] === "boolean" ? [true, false] : [];
  const { default: value } = schema;
  const example = typeof value === "string" ? value : JSON.stringify(value);
  const isList = schema["type"] === "array";
  const field =
    choices.length > 0
      ? html`<select id="${id}" data-name="${name}" data-in="${place}" ?required=${required} ?aria-describedby=${hint}>
          <option value=""></option>
          ${choices.map((choice) => html`<option value="${String(choice)}">${String(choice)}</option>`)}
        </select>`
      : isList
        ? html`<textarea
            id="${id}"
            data-name="${name}"
            data-in="${place}"
            data-list
            rows="2"
            ?required=${required}
            ?aria-describedby=${hint}
          ></textarea>`
        : html`<input
            id="${id}"
            data-name="${name}"
            data-in="${place}"
            ?required=${required}
            ?placeholder=${example}
            ?aria-describedby=${hint}
            autocomplete="off"
            spellcheck="false"
          />`;
  const kind = isList ? `${place}, one per line` : place;
  return html`<div class="field">
    <label for="${id}">${name} <span class="tag">${kind}${required && ", required"}</span></label>
    ${field} ${hint && html`<div class="meta" id="${hint}">${withCode(description)}</div>`}
  </div>`;
}

function renderBody(schema: Schema.JsonSchema, schemas: Schema.JsonSchema, id: string): Html {
  const example = JSON.stringify(exampleOf(schema, schemas) ?? {}, undefined, 2);
  const rows = String(Math.min(example.split("\n").length + 1, 20));
  return html`<div class="field">
    <label for="${id}">Body <span class="tag">JSON: ${renderSchema(schema)}</span></label>
    <textarea id="${id}" data-in="body" rows="${rows}" required spellcheck="false">${example}</textarea>
  </div>`;
}

const componentPrefix = "#/components/schemas/";

/** Renders a link to a shared schema, or the schema itself. */
function renderSchema(schema: Schema.JsonSchema): Html {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return html`<pre>${JSON.stringify(schema, undefined, 2)}</pre>`;
  const name = reference.slice(componentPrefix.length);
  return html`<a href="#schema-${name}">${name}</a>`;
}

function renderSchemas(schemas: Schema.JsonSchema): Html | undefined {
  const entries = Object.entries(schemas);
  if (entries.length === 0) return undefined;
  return html`<section>
    <h2>Schemas</h2>
    ${entries.map(
      ([name, schema]) =>
        html`<details class="card">
          <summary><code>${name}</code></summary>
          <pre id="schema-${name}">${JSON.stringify(schema, undefined, 2)}</pre>
        </details>`,
    )}
  </section>`;
}
