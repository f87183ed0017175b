import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { html, type Html, unsafeHtml } from "../html/index.ts";
import { developmentPaths, failureColors, failureRules, scriptTag } from "./browser-client.ts";
import { lineKind } from "./failure.ts";

const css = `
      :root { color-scheme: light dark; ${failureColors} }
      * { box-sizing: border-box; }
      body { margin: 0; padding: clamp(1.25rem, 4vw, 2.5rem) 1rem; background: var(--background); color: var(--text);
        font: 1rem/1.5 system-ui, sans-serif; }
      main { max-width: 60rem; margin-inline: auto; }
      h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.2; }
      .card { margin: 0 0 1rem; padding: 1.25rem; overflow: auto; background: var(--surface); border: 1px solid var(--border);
        border-radius: .6rem; }
      .failure { border-top: 4px solid var(--error); }
      li { overflow-wrap: anywhere; } ul { margin: 0; padding-left: 1.25rem; }
      button { min-height: 2.75rem; padding: .55rem 1.1rem; border: 0; border-radius: .6rem; background: var(--accent);
        color: light-dark(#fff, #06202c); font: inherit; font-weight: 600; cursor: pointer; }
      button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
      .meta { color: var(--muted); font-size: .875rem; } code { font: .9em ui-monospace, monospace; }${failureRules}`;

const securityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", css, "base64")}'`,
  "img-src data:",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Sends the page shown while no version runs. It reloads when one starts. */
export function sendFailurePage(response: ServerResponse, reason: string): void {
  const content = html`<h1>The application is not running</h1>
    ${failureCard(reason)}
    <p class="meta">This page reloads as soon as the application starts.</p>`;
  sendPage(response, 500, "The application is not running", content);
}

/** Content of the page of pending migrations. */
export interface MigrationPage {
  /** Labels of the pending steps. */
  readonly steps: readonly string[];
  /** Token that the form sends back. */
  readonly token: string;
  /** Path and query of the page to return to. */
  readonly path: string;
  /** Error of the migration that the button has run. */
  readonly failure?: string | undefined;
}

/** Sends the page that lists the pending migrations and has a button that runs them. */
export function sendMigrationPage(response: ServerResponse, { steps, token, path, failure }: MigrationPage): void {
  const title = steps.length === 1 ? "A migration has not run" : "Migrations have not run";
  const content = html`<h1>${failure === undefined ? title : "The migration failed"}</h1>
    ${failure !== undefined && failureCard(failure)}
    <p>The code expects ${steps.length === 1 ? "a change" : "changes"} of the database:</p>
    <div class="card">
      <ul>
        ${steps.map((step) => html`<li>${step}</li>`)}
      </ul>
    </div>
    <form method="post" action="${developmentPaths.migrate}">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="path" value="${path}" />
      <button>Migrate</button>
    </form>
    <p class="meta">
      In the terminal: <code>npm run app migrate</code>. Only the development server shows this page.
    </p>`;
  sendPage(response, failure === undefined ? 503 : 500, title, content);
}

const failureCard = (reason: string): Html =>
  html`<div class="card failure">
    <pre>${reason.split("\n").map((line, index) => html`<span class="${lineKind(line, index)}">${line}</span>`)}</pre>
  </div>`;

function sendPage(response: ServerResponse, status: number, title: string, content: Html): void {
  const page = html`<!doctype html>
    <html lang="en" data-limmat-failure>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${unsafeHtml(`<style>${css}</style>`)}
      </head>
      <body>
        <main>${content}</main>
        ${unsafeHtml(scriptTag)}
      </body>
    </html>`;
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": securityPolicy,
    "x-content-type-options": "nosniff",
  });
  response.end(String(page));
}
