import { html, type Html } from "limmat/html";
import { asset, type Request } from "limmat/web";
import type { Greeting } from "../../app/domain/greeting/greeting.ts";
import { layout } from "./layout.ts";

const steps = [
  ["A resource with pages, table and tests", "npm run app gen.html sqlite note title:string done:bool -- --wire"],
  ["Accounts, log-in, a forgotten password", "npm run app gen.auth -- --wire"],
  ["Their tables in the database", "npm run app migrate"],
  ["Tests, and all checks", "npm test && npm run check"],
  ["All commands", "npm run app"],
] as const;

const places = [
  ["Pages", "web/view/welcome.ts", "This page, to begin with"],
  ["Routes", "routes/routes.ts", "Which handler answers which path"],
  ["Domain", "app/domain", "What it is about, without the web"],
] as const;

export const page = (request: Request, greeting: Greeting | undefined): Html =>
  layout(
    request,
    "Welcome",
    html`
<section class="hero">
  <img src="${asset("icon.svg")}" alt="" width="80" height="80">
  <h1>${greeting?.text ?? "Hello"}</h1>
  <p>my-app runs. The greeting comes from the database, by chance: add one with
    <code>npm run app greeting.add "Bun di"</code></p>
</section>
<section class="card">
  <h2>Where to go from here</h2>
  <dl class="steps">
    ${steps.map(([what, command]) => html`<div><dt>${what}</dt><dd><code>${command}</code></dd></div>`)}
  </dl>
</section>
<section class="grid">
  ${places.map(
    ([title, path, text]) => html`
  <div class="card">
    <h2>${title}</h2>
    <p><code>${path}</code></p>
    <p class="meta">${text}</p>
  </div>`,
  )}
</section>`,
  );
