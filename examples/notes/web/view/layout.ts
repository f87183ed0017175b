import { html, type Html } from "limmat/html";
import { asset, Csrf, Flash, type Request } from "limmat/web";

/** Renders the layout of every page. Pages for members have a menu with logout. */
export const layout = (request: Request, title: string, content: Html, isMemberPage = false): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Notes</title>
        <link rel="stylesheet" href="${asset("app.css")}" />
        <link rel="stylesheet" href="${asset("notes.css")}" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <a class="skip-link" href="#content">Skip to content</a>
        <header>
          <a href="/">Notes</a>
          ${isMemberPage ? memberMenu(request) : undefined}
        </header>
        <main id="content">
          ${message("notice", "status", Flash.notice(request))} ${message("alert", "alert", Flash.alert(request))}
          ${content}
        </main>
        <footer>Built with limmat. No page loads anything from another host.</footer>
      </body>
    </html>`;

const memberMenu = (request: Request): Html =>
  html`<nav class="row" aria-label="Account">
    <a class="button" href="/notes/new">New note</a>
    <a class="button secondary" href="/account">Account</a>
    <form method="post" action="/logout">
      <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
      <button class="secondary">Log out</button>
    </form>
  </nav>`;

const message = (kind: "notice" | "alert", role: string, text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="message ${kind}" role="${role}">${text}</p>`;
