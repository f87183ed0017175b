import { html, type Html } from "limmat/html";
import { type Form, Schema } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { formOf } from "./components.ts";
import { layout } from "./layout.ts";

/** Schema of the login form. */
export const schema = Schema.record({ email: Schema.string(), password: Schema.text({ sensitive: true }) });

const fields = {
  email: { label: "E-mail address", type: "email", autocomplete: "username", isRequired: true },
  password: { label: "Password", autocomplete: "current-password", isRequired: true },
} as const;

/** Renders the login page. Its form has no `action`, so that it keeps the query parameter `return_to`. */
export const create = (request: Request, data: Form, message?: string): Html =>
  layout(
    request,
    "Log in",
    html`<h1>Log in</h1>
      ${formOf(schema, data, { csrf: Csrf.find(request), submit: "Log in", fields, message })}
      <p class="row"><a href="/register">I have no account</a> <a href="/password-reset">I forgot my password</a></p>`,
  );
