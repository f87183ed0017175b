import { html, type Html } from "../../../../html/index.ts";
import { LanguageInternals } from "../../../../language/index.ts";
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
  /** Login page. Its form has no `action`, and its link to the registration has the query, so that both keep `return_to`. */
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

const accountTexts = (): LanguageInternals.ServiceTexts["account"] =>
  LanguageInternals.frameworkTexts().services.account;
const email = { type: "email", autocomplete: "username", isRequired: true } as const;
const emailField = (): typeof email & { readonly label: string } => ({ ...email, label: accountTexts().email });
const currentPassword = { autocomplete: "current-password", isRequired: true };
const newPassword = { autocomplete: "new-password", isRequired: true };
const newPasswords = (): FormFields<NewPassword> => ({
  password: { ...newPassword, label: accountTexts().newPassword, hint: accountTexts().newPasswordHint },
  confirmation: { ...newPassword, label: accountTexts().repeatPassword },
});

/** Creates the views, in the language of each request. */
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
      caption: accountTexts().devices,
      columns: [{ label: accountTexts().device, value: sessionCell }],
      actions: ({ id, device, isCurrent }) =>
        !isCurrent &&
        postButton(
          request,
          `/account/sessions/${id}/end`,
          accountTexts().logOut,
          accountTexts().logOutDevice(deviceLabel(device)),
        ),
    });

  const passwordForm = (request: Web.Request, user: User, data: Form): Html =>
    components.formOf(schemas.passwordChange, data, {
      csrf: Web.Csrf.find(request),
      action: `${request.prefix}/account/password`,
      submit: accountTexts().changePassword,
      fields: { old: { ...currentPassword, label: accountTexts().currentPassword }, ...newPasswords() },
      // Password managers need the user name in the same form.
      before: html`<h2>${accountTexts().changePassword}</h2>
        <p class="meta">${accountTexts().logsOutOthers}</p>
        <input type="text" name="username" autocomplete="username" value="${user.email}" hidden />`,
    });

  const unconfirmed = (request: Web.Request): Html =>
    html`<section class="card">
      <div class="row space-between">
        <div>
          <h2>${accountTexts().confirmEmail}</h2>
          <p class="meta">${accountTexts().confirmEmailText}</p>
        </div>
        ${postButton(request, "/account/email/link", accountTexts().sendAgain)}
      </div>
    </section>`;

  return {
    login: (request, data, message) => {
      const fields = { email: emailField(), password: { ...currentPassword, label: accountTexts().password } };
      const formOptions = { csrf: Web.Csrf.find(request), submit: accountTexts().logIn, fields, message };
      return page(
        accountTexts().logIn,
        html`${components.formOf(schemas.login, data, formOptions)}
          <p class="row">
            <a href="${request.prefix}/register${queryOf(request)}">${accountTexts().noAccount}</a>
            <a href="${request.prefix}/password-reset">${accountTexts().forgotPassword}</a>
          </p>`,
      );
    },
    registration: (request, data) => {
      const fields = { email: emailField(), ...newPasswords(), ...registration.fields } as FormFields<Input>;
      const formOptions = { csrf: Web.Csrf.find(request), submit: accountTexts().register, fields };
      return page(
        accountTexts().register,
        html`${components.formOf(registration.schema, data, formOptions)}
          <p><a href="${request.prefix}/login${queryOf(request)}">${accountTexts().haveAccount}</a></p>`,
      );
    },
    account: (request, { user, sessions, form: data }) => ({
      title: accountTexts().account,
      content: html`<div class="row space-between">
          <h1>${accountTexts().yourAccount}</h1>
          ${postButton(request, "/logout", accountTexts().logOut)}
        </div>
        <p>${accountTexts().loggedInAs(user.email)}</p>
        ${!user.confirmed && unconfirmed(request)}
        <section class="card">
          <div class="row space-between">
            <h2>${accountTexts().devices}</h2>
            ${sessions.length > 1 && postButton(request, "/account/sessions/end", accountTexts().logOutOthers)}
          </div>
          ${sessionTable(request, sessions)}
        </section>
        ${passwordForm(request, user, data)}
        <p class="row">
          ${Object.entries(links).map(([path, text]) => html`<a href="${request.prefix}${path}">${text}</a> `)}
          <a href="${request.prefix}/account/email">${accountTexts().changeEmail}</a>
          <a href="${request.prefix}/account/delete">${accountTexts().deleteAccount}</a>
        </p>`,
    }),
    emailChange: (request, data) => {
      const formOptions = {
        csrf: Web.Csrf.find(request),
        submit: accountTexts().sendLink,
        cancel: `${request.prefix}/account`,
        fields: {
          email: { ...email, label: accountTexts().newEmail, autocomplete: "email" },
          password: { ...currentPassword, label: accountTexts().password },
        },
      };
      return page(
        accountTexts().changeEmail,
        html`<p>${accountTexts().changeEmailText}</p>
          ${components.formOf(schemas.emailChange, data, formOptions)}`,
      );
    },
    confirmation: (request, address, token) => {
      const action = `${request.prefix}/account/email/confirm`;
      const formOptions = { csrf: Web.Csrf.find(request), action, submit: accountTexts().confirm };
      return {
        title: accountTexts().confirmTitle,
        content: html`<h1>${accountTexts().confirmHeading(address)}</h1>
          ${form(formOptions, hiddenField("token", token))}`,
      };
    },
    linkInvalid: (request, problem = accountTexts().linkExpired) =>
      page(
        accountTexts().notConfirmed,
        html`<p class="message alert" role="alert">${problem}</p>
          <p>${accountTexts().linkRules}</p>
          <p><a href="${request.prefix}/account">${accountTexts().toAccount}</a></p>`,
      ),
    deletion: (request, data) => {
      const formOptions = {
        csrf: Web.Csrf.find(request),
        submit: accountTexts().deleteMyAccount,
        cancel: `${request.prefix}/account`,
        fields: { password: { ...currentPassword, label: accountTexts().password } },
      };
      return page(
        accountTexts().deleteAccount,
        html`<p>${accountTexts().deleteAccountText}</p>
          ${components.formOf(schemas.deletion, data, formOptions)}`,
      );
    },
  };
}

/** Returns the query of a request, for a link to another form: the address, and the path to return to. */
const queryOf = ({ query }: Web.Request): string => (query.size > 0 ? `?${query.toString()}` : "");

/** Returns the name of a device in the current language. It is stored in English: "Firefox on Windows". */
function deviceLabel(device: string | undefined): string {
  if (device === undefined) return accountTexts().unknownDevice;
  const [name = "", system] = device.split(" on ");
  return system === undefined ? name : accountTexts().deviceOf(name, system);
}

const sessionCell = ({ device, ...session }: UserSession): Html =>
  html`${deviceLabel(device)}
    <div class="meta">
      ${session.isCurrent ? accountTexts().thisDevice : html`${accountTexts().lastSeen} ${timestamp(session.last_seen_at)}`}
    </div>
    <div class="meta">${accountTexts().loggedInSince} ${timestamp(session.created_at)}</div>`;
