import { html, type Html } from "limmat/html";
import { asset, Flash, type Request } from "limmat/web";
import { navigation } from "./components.ts";

/** Pages in the navigation: path and text. */
const pages = [["/", "Home"]] as const;

/** Renders the layout of every page. With an alert, the title begins with "Error:", which screen readers announce first. */
export const layout = (request: Request, title: string, content: Html): Html => {
  const alert = Flash.alert(request);
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${alert && "Error: "}${title} · my-app</title>
    <link rel="stylesheet" href="${asset("app.css")}">
    <script type="module" src="${asset("forms.js")}"></script>
    <link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml">
  </head>
  <body>
    <a class="skip-link" href="#main-content">Skip to content</a>
    <header>
      <a href="${request.prefix}/">my-app</a>
      ${navigation(request, pages)}
    </header>
    <main id="main-content">
      ${message("notice", "status", Flash.notice(request))}
      ${message("alert", "alert", alert)}
      ${content}
    </main>
    <footer>Built with limmat</footer>
  </body>
</html>`;
};

const message = (kind: "notice" | "alert", role: string, content: string | undefined): Html | undefined =>
  content === undefined ? undefined : html`<p class="message ${kind}" role="${role}">${content}</p>`;
