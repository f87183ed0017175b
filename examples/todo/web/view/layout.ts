import { html, type Html } from "limmat/html";
import { asset, Flash, type Request } from "limmat/web";

/** Renders the layout of every page. */
export const layout = (request: Request, title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · To-dos</title>
        <link rel="stylesheet" href="${asset("app.css")}" />
        <link rel="stylesheet" href="${asset("todo.css")}" />
        <script type="module" src="${asset("forms.js")}"></script>
        <link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml" />
      </head>
      <body>
        <a class="skip-link" href="#content">Skip to content</a>
        <header>
          <a href="/todos">To-dos</a>
          <a class="button" href="/todos/new">New to-do</a>
        </header>
        <main id="content">
          ${message("notice", "status", Flash.notice(request))} ${message("alert", "alert", Flash.alert(request))}
          ${content}
        </main>
        <footer>Built with limmat. No page loads anything from another host.</footer>
      </body>
    </html>`;

const message = (kind: "notice" | "alert", role: string, text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="message ${kind}" role="${role}">${text}</p>`;
