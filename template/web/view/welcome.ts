import { html, type Html } from "limmat/html";
import type { Request } from "limmat/web";
import type { Greeting } from "../../app/domain/greeting/greeting.ts";
import { layout } from "./layout.ts";

const steps = [
  ["A resource with pages", "npm run app gen.html {{database}} note title:string body:text? done:bool -- --wire"],
  ["Its table", "npm run app migrate"],
  ["All commands", "npm run app"],
  ["Tests, formatting, lint, types", "npm test && npm run check"],
] as const;

export const page = (request: Request, greeting: Greeting | undefined): Html =>
  layout(
    request,
    "Welcome",
    html`
<section class="hero">
  <img src="${request.prefix}/assets/icon.svg" alt="" width="72" height="72">
  <h1>${greeting?.text ?? "Hello"}</h1>
  <p>This is <strong>my-app</strong>. It runs, it is tested, and it is yours to change:
    this page is <code>web/view/welcome.ts</code>.</p>
</section>
<section class="card">
  <h2>Where to go from here</h2>
  <dl class="steps">
    ${steps.map(([what, command]) => html`<div><dt>${what}</dt><dd><code>${command}</code></dd></div>`)}
  </dl>
</section>
<section class="grid">
  ${place("Routes", "routes/routes.ts", "Which handler answers which path")}
  ${place("Domain", "app/domain", "What the application is about, and nothing of the web")}
  ${place("Services", "service/service.ts", "Which database, and what else there is")}
</section>`,
  );

const place = (title: string, path: string, text: string): Html => html`
<div class="card">
  <h2>${title}</h2>
  <p><code>${path}</code></p>
  <p class="meta">${text}</p>
</div>`;
