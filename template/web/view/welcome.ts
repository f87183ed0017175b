import { html, type Html } from "limmat/html";
import { asset, type Request } from "limmat/web";
import type { Greeting } from "../../app/domain/greeting/greeting.ts";
import * as services from "../../service/service.ts";
import { layout } from "./layout.ts";

const accounts = () => ["Accounts, login and password reset", "npm run app gen.auth -- --wire"] as const;

const steps = () =>
  [
    ["A resource with pages, a table and tests", "npm run app gen.html note title:string done:bool -- --wire"],
    ...("user" in services ? [] : [accounts()]),
    ["Database migration", "npm run app migrate"],
    ["Tests and checks", "npm test && npm run check"],
    ["All commands", "npm run app"],
  ] as const;

const folders = () =>
  [
    ["Pages", "web/view/welcome.ts", "The view of this page"],
    ["Routes", "routes/routes.ts", "Paths and their handlers"],
    ["Domain", "app/domain", "Business logic, independent of the web"],
  ] as const;

export const page = (request: Request, greeting: Greeting | undefined): Html =>
  layout(
    request,
    "Welcome",
    html`
<section class="hero">
  <img src="${asset("icon.svg")}" alt="" width="80" height="80">
  <h1>${greeting?.text ?? "Hello"}</h1>
  ${
    greeting === undefined
      ? html`<p>The database contains no greetings. Add some: <code>npm run app seed</code></p>`
      : html`
  <p>The greeting is a random row of the database. Add another one:
    <code>npm run app greeting.add "Bun di"</code></p>`
  }
</section>
<section class="card">
  <h2>Next steps</h2>
  <dl class="steps">
    ${steps().map(([task, command]) => html`<div><dt>${task}</dt><dd><code>${command}</code></dd></div>`)}
  </dl>
</section>
<section class="grid">
  ${folders().map(
    ([title, path, description]) => html`
  <div class="card">
    <h2>${title}</h2>
    <p><code>${path}</code></p>
    <p class="meta">${description}</p>
  </div>`,
  )}
</section>`,
  );
