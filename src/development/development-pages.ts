import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { html, type Html, unsafeHtml } from "../html/index.ts";
import { developmentPaths, failureColors, failureRules, scriptTag } from "./browser-client.ts";
import { lineKind } from "./failure.ts";
import { isFromThisOrigin, readBody } from "./incoming-request.ts";

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

/** Page of the pending migrations, and the target of its form. */
export interface MigrationPages {
  /** Sends the page that lists these steps. */
  readonly send: (incoming: IncomingMessage, response: ServerResponse, steps: readonly string[]) => void;
  /** Runs the migrations for the form of the page, and redirects to the page that was asked for. */
  readonly run: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;
}

const maxFormBytes = 16 * 1024;

/**
 * Creates the page of the pending migrations.
 *
 * Another site cannot send its form (CSRF): `makeProxy` refuses its requests, the form must come from this `Origin`, and
 * contain a token that is new for each development server.
 */
export function migrationPages(migrate: () => Promise<string | undefined>): MigrationPages {
  const token = randomBytes(32).toString("base64url");
  /** Error of the last run, which the next page shows. */
  let failure: string | undefined;

  const run = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await readBody(incoming, maxFormBytes));
    if (!isFromThisOrigin(incoming) || !isEqual(form.get("token") ?? "", token)) {
      response.writeHead(403, { "content-type": "text/plain; charset=utf-8" });
      response.end("The form is not of this page. Go back, reload the page and send it again.\n");
      return;
    }
    failure = await migrate();
    // Also after a failure: a reload of the page must not send the form again.
    response.writeHead(303, { location: localPath(form.get("path") ?? "/"), "cache-control": "no-store" }).end();
  };

  return {
    send: ({ url = "/" }, response, steps) => {
      sendMigrationPage(response, { steps, token, path: url, failure });
      failure = undefined;
    },
    run,
  };
}

/** Content of the page of pending migrations. */
interface MigrationPage {
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
function sendMigrationPage(response: ServerResponse, { steps, token, path, failure }: MigrationPage): void {
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

function isEqual(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns a path and query of this origin: `/` for the URL of another one. */
function localPath(path: string): string {
  const url = URL.parse(path, "http://localhost");
  const isLocal = url?.origin === "http://localhost" && path.startsWith("/") && !url.pathname.startsWith("//");
  return isLocal ? url.pathname + url.search : "/";
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
