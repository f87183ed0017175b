import { html, type Html } from "../../../html/index.ts";
import type { UserErrors } from "../../user/contract.ts";

/** A page without its frame. */
export interface View {
  readonly title: string;
  readonly content: Html;
}

/** What a form needs: where it goes, the CSRF token for its hidden input `csrf`, and what was wrong with it before. */
export interface FormModel {
  readonly action: string;
  readonly csrf: string;
  /** Messages by field; empty at first. */
  readonly errors: UserErrors;
}

/** The pages of a password reset. */
export interface Views {
  /** Asks for the address, in a field `email`. */
  readonly ask: (model: FormModel & { readonly email: string }) => View;
  /** Says that a mail is on its way if there is an account; the same for every address. */
  readonly sent: (model: { readonly ask: string }) => View;
  /**
   * Asks for the new password, in fields `password` and `confirmation`, beside the hidden `token`. `email` is whose: for
   * password managers in a field of the type `text` with `autocomplete="username"`.
   */
  readonly set: (model: FormModel & { readonly token: string; readonly email: string }) => View;
  /** Says that the link is not valid; the same whatever is wrong with it. `ask` is where a new one is asked for. */
  readonly refused: (model: { readonly ask: string }) => View;
  /** Says that it is done. */
  readonly done: (model: { readonly login: string | undefined }) => View;
}

/** The pages as they come: in English, with the class names of the project template. */
export const views: Views = {
  ask: ({ action, csrf, errors, email }) => ({
    title: "Forgot your password?",
    content: html`<h1>Forgot your password?</h1>
      <p>Enter the e-mail address of your account. You will get a link to set a new password.</p>
      <form class="card" method="post" action="${action}" novalidate>
        <input type="hidden" name="csrf" value="${csrf}" />
        ${field("email", "E-mail address", errors, { type: "email", value: email, autocomplete: "username" })}
        <div class="row"><button>Send the link</button></div>
      </form>`,
  }),
  sent: ({ ask }) => ({
    title: "Look into your inbox",
    content: html`<h1>Look into your inbox</h1>
      <p>
        If there is an account with this address, a mail with a link is on its way to it. The link is valid for a few
        minutes.
      </p>
      <p>Nothing came? Look into the folder for unwanted mail, or <a href="${ask}">try again</a>.</p>`,
  }),
  set: ({ action, csrf, errors, token, email }) => ({
    title: "Set a new password",
    content: html`<h1>Set a new password</h1>
      <p>You will be logged out everywhere, and can log in with it.</p>
      <form class="card" method="post" action="${action}" novalidate>
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="token" value="${token}" />
        <div class="field">
          <label for="username">E-mail address</label>
          <input id="username" type="text" value="${email}" autocomplete="username" readonly />
        </div>
        ${field("password", "New password", errors, { type: "password", autocomplete: "new-password" })}
        ${field("confirmation", "The same once more", errors, { type: "password", autocomplete: "new-password" })}
        <div class="row"><button>Set the password</button></div>
      </form>`,
  }),
  refused: ({ ask }) => ({
    title: "This link is not valid",
    content: html`<h1>This link is not valid</h1>
      <p>It was used already, is too old, or is not complete. A newer link ends the older ones.</p>
      <p><a href="${ask}">Ask for a new link</a></p>`,
  }),
  done: ({ login }) => ({
    title: "Your password is set",
    content: html`<h1>Your password is set</h1>
      <p>You were logged out everywhere.</p>
      ${login === undefined ? undefined : html`<p><a href="${login}">Log in with the new password</a></p>`}`,
  }),
};

interface Input {
  readonly type: "email" | "password";
  readonly autocomplete: string;
  readonly value?: string;
}

/** An input with its label, and what is wrong with it where a screen reader finds it. */
function field(name: string, label: string, errors: UserErrors, { type, autocomplete, value = "" }: Input): Html {
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
