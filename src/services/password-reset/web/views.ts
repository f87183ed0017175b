import { html, type Html } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
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

const accountTexts = (): LanguageInternals.ServiceTexts["account"] =>
  LanguageInternals.frameworkTexts().services.account;

const page = (title: string, content: Html): View => ({
  title,
  content: html`<h1>${title}</h1>
    ${content}`,
});

/** Default pages in the current language, with the class names of the project template. */
export const defaultViews: Views = {
  requestForm: ({ action, csrf, errors, email }) =>
    page(
      accountTexts().resetTitle,
      html`<p>${accountTexts().resetText}</p>
        <form class="card" method="post" action="${action}" novalidate>
          <input type="hidden" name="csrf" value="${csrf}" />
          ${field("email", accountTexts().email, errors, { type: "email", value: email, autocomplete: "username" })}
          <div class="row"><button>${accountTexts().sendLink}</button></div>
        </form>`,
    ),
  linkSent: ({ requestUrl }) =>
    page(
      accountTexts().checkInbox,
      html`<p>${accountTexts().checkInboxText}</p>
        <p>${accountTexts().noMail} <a href="${requestUrl}">${accountTexts().tryAgain}</a></p>`,
    ),
  passwordForm: ({ action, csrf, errors, token, email }) =>
    page(
      accountTexts().setNewPassword,
      html`<p>${accountTexts().setNewPasswordText}</p>
        <form class="card" method="post" action="${action}" novalidate>
          <input type="hidden" name="csrf" value="${csrf}" />
          <input type="hidden" name="token" value="${token}" />
          <div class="field">
            <label for="username">${accountTexts().email}</label>
            <input id="username" type="text" value="${email}" autocomplete="username" readonly />
          </div>
          ${field("password", accountTexts().newPassword, errors, { type: "password", autocomplete: "new-password" })}
          ${field("confirmation", accountTexts().repeatPassword, errors, { type: "password", autocomplete: "new-password" })}
          <div class="row"><button>${accountTexts().setPassword}</button></div>
        </form>`,
    ),
  linkInvalid: ({ requestUrl }) =>
    page(
      accountTexts().resetLinkInvalid,
      html`<p>${accountTexts().resetLinkRules}</p>
        <p><a href="${requestUrl}">${accountTexts().requestLink}</a></p>`,
    ),
  passwordSet: ({ loginUrl }) =>
    page(
      accountTexts().passwordSet,
      html`<p>${accountTexts().passwordSetText}</p>
        ${loginUrl && html`<p><a href="${loginUrl}">${accountTexts().logInAgain}</a></p>`}`,
    ),
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
