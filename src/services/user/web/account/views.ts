import { html, type Html } from "../../../../html/index.ts";
import { type Form, Schema } from "../../../../schema/index.ts";
import {
  actionButton,
  form,
  type FormFields,
  formOf,
  hiddenField,
  table,
  timestamp,
} from "../../../../web/components/index.ts";
import * as Web from "../../../../web/index.ts";
import type { EmailChange, NewPassword, PasswordChange, Registration, User, UserSession } from "../../contract.ts";
import type { AccountRouterOptions, RegistrationForm } from "./pages.ts";
import { registrationFields } from "./registration-fields.ts";

/** Title and content of a page. */
export interface AccountView {
  readonly title: string;
  readonly content: Html;
}

/** Components that the pages consist of. */
export interface AccountComponents {
  readonly actionButton: typeof actionButton;
  readonly formOf: typeof formOf;
  readonly table: typeof table;
}

/** Data of the account page. */
export interface AccountData {
  readonly user: User;
  readonly sessions: readonly UserSession[];
  /** Form that changes the password. */
  readonly form: Form;
}

/** Functions that render the pages. */
export interface AccountViews {
  /** Login page. Its form has no `action`, so that it keeps the query parameter `return_to`. */
  readonly login: (request: Web.Request, form: Form, message?: string) => AccountView;
  readonly registration: (request: Web.Request, form: Form) => AccountView;
  readonly account: (request: Web.Request, data: AccountData) => AccountView;
  readonly emailChange: (request: Web.Request, form: Form) => AccountView;
  /** Page behind a link. Its form posts the token to `/account/email/confirm`. */
  readonly confirmation: (request: Web.Request, address: string, token: string) => AccountView;
  /** Page for an invalid link. */
  readonly linkInvalid: (request: Web.Request, problem?: string) => AccountView;
  readonly deletion: (request: Web.Request, form: Form) => AccountView;
}

const { email: addressField, password, confirmation } = registrationFields;

export const schemas: {
  readonly login: Schema.RecordSchema<EmailChange>;
  readonly registration: Schema.RecordSchema<NewPassword & { readonly email: string }>;
  readonly passwordChange: Schema.RecordSchema<PasswordChange>;
  readonly emailChange: Schema.RecordSchema<EmailChange>;
  readonly confirmation: Schema.RecordSchema<{ readonly token: string }>;
  readonly deletion: Schema.RecordSchema<{ readonly password: string }>;
} = {
  login: Schema.record({ email: addressField, password }),
  registration: Schema.record(registrationFields),
  passwordChange: Schema.record({ old: password, password, confirmation }),
  emailChange: Schema.record({ email: addressField, password }),
  confirmation: Schema.record({ token: Schema.string() }),
  deletion: Schema.record({ password }),
};

const email = { label: "E-mail address", type: "email", autocomplete: "username", isRequired: true } as const;
const currentPassword = { autocomplete: "current-password", isRequired: true };
const newPassword = { autocomplete: "new-password", isRequired: true };
const newPasswords = {
  password: { ...newPassword, label: "New password", hint: "At least 8 characters" },
  confirmation: { ...newPassword, label: "Repeat the new password" },
};

/** Creates the views in English. */
export function makeViews<Input extends Registration>(
  options: AccountRouterOptions<Input>,
  registration: RegistrationForm<Input>,
): AccountViews {
  const { links = {} } = options;
  const components: AccountComponents = { actionButton, formOf, table, ...options.components };
  const postButton = (request: Web.Request, path: string, text: string, label?: string): Html =>
    components.actionButton({ csrf: Web.Csrf.find(request), action: request.prefix + path, text, label });
  const page = (title: string, content: Html): AccountView => ({
    title,
    content: html`<h1>${title}</h1>
      ${content}`,
  });

  const sessionTable = (request: Web.Request, sessions: readonly UserSession[]): Html =>
    components.table(sessions, {
      caption: "Logged-in devices",
      columns: [{ label: "Device", value: sessionCell }],
      actions: ({ id, device = "Unknown device", isCurrent }) =>
        !isCurrent && postButton(request, `/account/sessions/${id}/end`, "Log out", `Log out ${device}`),
    });

  const passwordForm = (request: Web.Request, user: User, data: Form): Html =>
    components.formOf(schemas.passwordChange, data, {
      csrf: Web.Csrf.find(request),
      action: `${request.prefix}/account/password`,
      submit: "Change password",
      fields: { old: { ...currentPassword, label: "Current password" }, ...newPasswords },
      // Password managers need the user name in the same form.
      before: html`<h2>Change the password</h2>
        <p class="meta">This logs out all other devices.</p>
        <input type="text" name="username" autocomplete="username" value="${user.email}" hidden />`,
    });

  const unconfirmed = (request: Web.Request): Html =>
    html`<section class="card">
      <div class="row space-between">
        <div>
          <h2>Confirm your e-mail address</h2>
          <p class="meta">Please open the link in the e-mail that we sent you.</p>
        </div>
        ${postButton(request, "/account/email/link", "Send the link again")}
      </div>
    </section>`;

  return {
    login: (request, data, message) => {
      const fields = { email, password: { ...currentPassword, label: "Password" } };
      const formOptions = { csrf: Web.Csrf.find(request), submit: "Log in", fields, message };
      return page(
        "Log in",
        html`${components.formOf(schemas.login, data, formOptions)}
          <p class="row">
            <a href="${request.prefix}/register">I have no account</a>
            <a href="${request.prefix}/password-reset">I forgot my password</a>
          </p>`,
      );
    },
    registration: (request, data) => {
      const fields = { email, ...newPasswords, ...registration.fields } as FormFields<Input>;
      const formOptions = { csrf: Web.Csrf.find(request), submit: "Register", fields };
      return page(
        "Register",
        html`${components.formOf(registration.schema, data, formOptions)}
          <p><a href="${request.prefix}/login">I have an account</a></p>`,
      );
    },
    account: (request, { user, sessions, form: data }) => ({
      title: "Account",
      content: html`<div class="row space-between">
          <h1>Your account</h1>
          ${postButton(request, "/logout", "Log out")}
        </div>
        <p>You are logged in as ${user.email}.</p>
        ${!user.confirmed && unconfirmed(request)}
        <section class="card">
          <div class="row space-between">
            <h2>Logged-in devices</h2>
            ${sessions.length > 1 && postButton(request, "/account/sessions/end", "Log out all other devices")}
          </div>
          ${sessionTable(request, sessions)}
        </section>
        ${passwordForm(request, user, data)}
        <p class="row">
          ${Object.entries(links).map(([path, text]) => html`<a href="${request.prefix}${path}">${text}</a> `)}
          <a href="${request.prefix}/account/email">Change the e-mail address</a>
          <a href="${request.prefix}/account/delete">Delete the account</a>
        </p>`,
    }),
    emailChange: (request, data) => {
      const formOptions = {
        csrf: Web.Csrf.find(request),
        submit: "Send the link",
        cancel: `${request.prefix}/account`,
        fields: {
          email: { ...email, label: "New e-mail address", autocomplete: "email" },
          password: { ...currentPassword, label: "Password" },
        },
      };
      return page(
        "Change the e-mail address",
        html`<p>We send a link to the new address. Opening it changes the address and logs out all other devices.</p>
          ${components.formOf(schemas.emailChange, data, formOptions)}`,
      );
    },
    confirmation: (request, address, token) => {
      const action = `${request.prefix}/account/email/confirm`;
      const formOptions = { csrf: Web.Csrf.find(request), action, submit: "Confirm" };
      return {
        title: "Confirm the address",
        content: html`<h1>Confirm ${address}</h1>
          ${form(formOptions, hiddenField("token", token))}`,
      };
    },
    linkInvalid: (request, problem = "This link is invalid or has expired.") =>
      page(
        "The address is not confirmed",
        html`<p class="message alert" role="alert">${problem}</p>
          <p>A link is valid for one day, for one use, and for one account. A new link replaces older ones.</p>
          <p><a href="${request.prefix}/account">Go to your account to request a new link</a></p>`,
      ),
    deletion: (request, data) => {
      const formOptions = {
        csrf: Web.Csrf.find(request),
        submit: "Delete my account",
        cancel: `${request.prefix}/account`,
        fields: { password: currentPassword },
      };
      return page(
        "Delete the account",
        html`<p>This deletes your account and logs out all devices. It cannot be undone.</p>
          ${components.formOf(schemas.deletion, data, formOptions)}`,
      );
    },
  };
}

const sessionCell = ({ device = "Unknown device", ...session }: UserSession): Html =>
  html`${device}
    <div class="meta">${session.isCurrent ? "This device" : html`Last seen ${timestamp(session.last_seen_at)}`}</div>
    <div class="meta">Logged in since ${timestamp(session.created_at)}</div>`;
