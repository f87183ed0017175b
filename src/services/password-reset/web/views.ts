import { html, type Html, unsafeHtml } from "../../../html/index.ts";
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
      ${loginUrl === undefined ? undefined : html`<p><a href="${loginUrl}">Log in with the new password</a></p>`}`,
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
    <p class="error" id="${name}-error">${error}</p>
  </div>`;
}

const layoutStyle = `:root{color-scheme:light dark;--ink:#1d2433;--paper:#fbfaf7;--line:#1d243399;--accent:#3b5bdb;--on:#fff;--wrong:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--paper:#14161c;--line:#ffffff77;--accent:#91a7ff;--on:#14161c;--wrong:#ffb4ab}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;
background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif}main{max-width:26rem;width:100%}
h1{margin:0 0 .75rem;font-size:clamp(1.75rem,6vw,2.25rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
p{margin:0 0 1rem}a{color:var(--accent)}.field{margin:0 0 1rem}label{display:block;margin:0 0 .25rem;font-weight:600}
input:not([type=hidden]){width:100%;padding:.75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem}
input[readonly]{border-style:dashed}input[aria-invalid=true]{border-color:var(--wrong)}.error{margin:.25rem 0 0;color:var(--wrong)}.error:empty{display:none}
button{width:100%;padding:.75rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:0;border-radius:.5rem;cursor:pointer}
:is(a,button,input):focus-visible{outline:3px solid var(--accent);outline-offset:3px}`;

/** Returns a complete HTML page for a view. Its style is inline, so it needs no other file. */
export function defaultLayout({ title, content }: View, nonce: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${unsafeHtml(`<style nonce="${nonce}">${layoutStyle}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
}
