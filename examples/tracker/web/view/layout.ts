import { Language } from "limmat";
import { html, type Html } from "limmat/html";
import { asset, Flash, type Request } from "limmat/web";
import { text } from "../../language/language.ts";
import { languageMenu, navigation } from "./components.ts";
import { accountMenu } from "./account-menu.ts";

/** Returns the pages in the navigation: path and text. */
const pages = () =>
  [
    ["/", text.layout.home],
    ["/teams", text.team.title],
  ] as const;

/** Renders the layout of every page. With an alert, the title begins with "Error:", which screen readers announce first. */
export const layout = (request: Request, title: string, content: Html): Html => {
  const alert = Flash.alert(request);
  return html`<!doctype html>
<html lang="${Language.current()}" dir="${Language.direction()}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${alert === undefined ? title : text.layout.error({ title })} · Tracker</title>
    <link rel="stylesheet" href="${asset("app.css")}">
    <script type="module" src="${asset("forms.js")}"></script>
    <link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml">
  </head>
  <body>
    <a class="skip-link" href="#main-content">${text.layout.skip}</a>
    <header>
      <a href="${request.prefix}/">Tracker</a>
      ${navigation(request, pages(), { label: text.layout.menu })}
      ${accountMenu(request)}
    </header>
    <main id="main-content">
      ${message("notice", "status", Flash.notice(request))}
      ${message("alert", "alert", alert)}
      ${content}
    </main>
    <footer>${text.layout.footer} ${languageMenu(request, { label: text.layout.language })}</footer>
  </body>
</html>`;
};

const message = (kind: "notice" | "alert", role: string, words: string | undefined): Html | undefined =>
  words === undefined ? undefined : html`<p class="message ${kind}" role="${role}">${words}</p>`;
