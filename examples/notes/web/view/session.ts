import { html, type Html } from "limmat/html";
import type { Form as FormData } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { inputField } from "./field.ts";
import { layout } from "./layout.ts";

/** Renders the login page. Its form has no `action`, so that it keeps the query parameter `return_to`. */
export const create = (request: Request, form: FormData, problem?: string): Html =>
  layout(
    request,
    "Log in",
    html`<h1>Log in</h1>
      ${problem && html`<p class="message alert" role="alert">${problem}</p>`}
      <form class="card" method="post" novalidate>
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        ${inputField(form, { name: "email", label: "E-mail address", type: "email", autocomplete: "username" })}
        ${inputField(form, { name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
        <button>Log in</button>
      </form>
      <p class="row"><a href="/register">I have no account</a> <a href="/password-reset">I forgot my password</a></p>`,
  );
