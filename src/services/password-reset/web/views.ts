import { html, type Html } from "../../../html/index.ts";
import type { UserErrors } from "../../user/contract.ts";

/** Title and content of a page, without the layout. */
export interface View {
  readonly title: string;
  readonly content: Html;
}

/** Data for a form. */
export interface FormModel {
  /** URL that receives the form. */
  readonly action: string;
  /** CSRF token for the hidden input `csrf`. */
  readonly csrf: string;
  /** Error messages by field; empty at first. */
  readonly errors: UserErrors;
}

/** Pages of a password reset. */
export interface Views {
  /** Form for the address, in a field `email`. */
  readonly requestForm: (model: FormModel & { readonly email: string }) => View;
  /** Reports that a mail is on its way if an account exists. The page is the same for every address. */
  readonly linkSent: (model: { readonly requestUrl: string }) => View;
  /**
   * Form for the new password, in fields `password` and `confirmation`, with the hidden field `token`. For password
   * managers, show `email` in a text field with `autocomplete="username"`.
   */
  readonly passwordForm: (model: FormModel & { readonly token: string; readonly email: string }) => View;
  /** Reports an invalid link, whatever the reason. `requestUrl` leads to the form that requests a new one. */
  readonly linkInvalid: (model: { readonly requestUrl: string }) => View;
  /** Reports that the password is set. */
  readonly passwordSet: (model: { readonly loginUrl: string | undefined }) => View;
}

/** Default pages, in English, with the class names of the project template. */
export const defaultViews: Views = {
  requestForm: ({ action, csrf, errors, email }) => ({
    title: "Forgot your password?",
    content: html`<h1>Forgot your password?</h1>
      <p>Enter the e-mail address of your account. You will get a link to set a new password.</p>
      <form class="card" method="post" action="${action}" novalidate>
        <input type="hidden" name="csrf" value="${csrf}" />
        ${field("email", "E-mail address", errors, { type: "email", value: email, autocomplete: "username" })}
        <div class="row"><button>Send the link</button></div>
      </form>`,
  }),
  linkSent: ({ requestUrl }) => ({
    title: "Check your inbox",
    content: html`<h1>Check your inbox</h1>
      <p>
        If there is an account with this address, you will get a mail with a link. The link is valid for a few minutes.
      </p>
      <p>No mail? Check your spam folder, or <a href="${requestUrl}">try again</a>.</p>`,
  }),
  passwordForm: ({ action, csrf, errors, token, email }) => ({
    title: "Set a new password",
    content: html`<h1>Set a new password</h1>
      <p>You will be logged out on all devices. Then log in with the new password.</p>
      <form class="card" method="post" action="${action}" novalidate>
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="token" value="${token}" />
        <div class="field">
          <label for="username">E-mail address</label>
          <input id="username" type="text" value="${email}" autocomplete="username" readonly />
        </div>
        ${field("password", "New password", errors, { type: "password", autocomplete: "new-password" })}
        ${field("confirmation", "Repeat the new password", errors, { type: "password", autocomplete: "new-password" })}
        <div class="row"><button>Set the password</button></div>
      </form>`,
  }),
  linkInvalid: ({ requestUrl }) => ({
    title: "This link is not valid",
    content: html`<h1>This link is not valid</h1>
      <p>It was used already, has expired, or is incomplete. A newer link replaces the older ones.</p>
      <p><a href="${requestUrl}">Request a new link</a></p>`,
  }),
  passwordSet: ({ loginUrl }) => ({
    title: "Your password is set",
    content: html`<h1>Your password is set</h1>
      <p>You were logged out on all devices.</p>
      ${loginUrl && html`<p><a href="${loginUrl}">Log in with the new password</a></p>`}`,
  }),
};

interface FieldOptions {
  readonly type: "email" | "password";
  readonly autocomplete: string;
  readonly value?: string;
}

/** Returns an input with its label and its error message, linked for screen readers. */
function field(
  name: string,
  label: string,
  errors: UserErrors,
  { type, autocomplete, value = "" }: FieldOptions,
): Html {
  const error = errors[name];
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <p class="error" id="${name}-error">${error}</p>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      required
      ?autofocus=${error !== undefined}
      aria-invalid="${error !== undefined}"
      aria-describedby="${name}-error"
    />
  </div>`;
}
