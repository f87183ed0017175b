import { html, type Html } from "limmat/html";
import { type Form, Schema } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { form, formOf, hiddenField } from "./components.ts";
import { layout } from "./layout.ts";

/** Schema of the form that changes the e-mail address. */
export const addressChange = Schema.record({ email: Schema.string(), password: Schema.text({ sensitive: true }) });

const fields = {
  email: { label: "New e-mail address", type: "email", autocomplete: "email", isRequired: true },
  password: { label: "Password", autocomplete: "current-password", isRequired: true },
} as const;

/** Renders the page that changes the e-mail address. */
export const edit = (request: Request, data: Form): Html => {
  const options = { csrf: Csrf.find(request), submit: "Send the link", cancel: `${request.prefix}/account`, fields };
  return layout(
    request,
    "Change the e-mail address",
    html`
<h1>Change the e-mail address</h1>
<p>We send a link to the new address. Opening it changes the address and logs out all other devices.</p>
${formOf(addressChange, data, options)}`,
  );
};

/** Renders the page that confirms an address. */
export const confirm = (request: Request, address: string, token: string): Html => {
  const action = `${request.prefix}/account/email/confirm`;
  return layout(
    request,
    "Confirm the address",
    html`
<h1>Confirm ${address}</h1>
${form({ csrf: Csrf.find(request), action, submit: "Confirm" }, hiddenField("token", token))}`,
  );
};

/** Renders the page for an invalid link. */
export const refused = (request: Request, problem = "This link is invalid or has expired."): Html =>
  layout(
    request,
    "The address is not confirmed",
    html`
<h1>The address is not confirmed</h1>
<p class="message alert" role="alert">${problem}</p>
<p>A link is valid for one day, for one use, and for one account. A new link replaces older ones.</p>
<p><a href="${request.prefix}/account">Go to your account to request a new link</a></p>`,
  );
