import type { User } from "limmat";
import { html, type Html } from "limmat/html";
import { type Form, Schema } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { actionButton, formOf, table, timestamp } from "./components.ts";
import { layout } from "./layout.ts";

const secret = Schema.text({ sensitive: true });

/** Schema of the registration form. */
export const registration = Schema.record({
  name: Schema.optional(Schema.string()),
  email: Schema.string(),
  password: secret,
  confirmation: secret,
});
/** Schema of the form that changes the password. */
export const passwordChange = Schema.record({ old: secret, password: secret, confirmation: secret });
/** Schema of the form that deletes the account. */
export const deletion = Schema.record({ password: secret });

const email = { label: "E-mail address", type: "email", autocomplete: "username", isRequired: true } as const;
const name = { autocomplete: "name", hint: "Your teams see it" };
const currentPassword = { autocomplete: "current-password", isRequired: true };
const newPassword = { autocomplete: "new-password", isRequired: true };
const newPasswords = {
  password: { ...newPassword, label: "New password", hint: "At least 8 characters" },
  confirmation: { ...newPassword, label: "Repeat the new password" },
};

/** Renders the registration page. */
export const create = (request: Request, data: Form): Html => {
  const options = { csrf: Csrf.find(request), submit: "Register", fields: { name, email, ...newPasswords } };
  return layout(
    request,
    "Register",
    html`
<h1>Register</h1>
${formOf(registration, data, options)}
<p><a href="${request.prefix}/login">I have an account</a></p>`,
  );
};

/** Data of the account page. */
export interface AccountPage {
  readonly member: User.User;
  readonly sessions: readonly User.UserSession[];
  readonly password: Form;
}

/** Renders the account page. */
export const show = (request: Request, { member, sessions, password }: AccountPage): Html =>
  layout(
    request,
    "Account",
    html`
<div class="row space-between">
  <h1>Your account</h1>
  ${postButton(request, "/logout", "Log out")}
</div>
<p>You are logged in as ${member.email}.</p>
${!member.confirmed && unconfirmedSection(request)}
<section class="card">
  <div class="row space-between">
    <h2>Logged-in devices</h2>
    ${sessions.length > 1 && postButton(request, "/account/sessions/end", "Log out all other devices")}
  </div>
  ${sessionTable(request, sessions)}
</section>
${passwordForm(request, member, password)}
<p class="row">
  <a href="${request.prefix}/account/email">Change the e-mail address</a>
  <a href="${request.prefix}/account/delete">Delete the account</a>
</p>`,
  );

const passwordForm = (request: Request, member: User.User, data: Form): Html =>
  formOf(passwordChange, data, {
    csrf: Csrf.find(request),
    action: `${request.prefix}/account/password`,
    submit: "Change password",
    fields: { old: { ...currentPassword, label: "Current password" }, ...newPasswords },
    // Password managers need the user name in the same form.
    before: html`
<h2>Change the password</h2>
<p class="meta">This logs out all other devices.</p>
<input type="text" name="username" autocomplete="username" value="${member.email}" hidden>`,
  });

/** Renders the page that deletes the account. */
export const remove = (request: Request, data: Form): Html => {
  const cancel = `${request.prefix}/account`;
  const options = {
    csrf: Csrf.find(request),
    submit: "Delete my account",
    cancel,
    fields: { password: currentPassword },
  };
  return layout(
    request,
    "Delete the account",
    html`
<h1>Delete the account</h1>
<p>This deletes your account and logs out all devices. It cannot be undone.</p>
${formOf(deletion, data, options)}`,
  );
};

const unconfirmedSection = (request: Request): Html => html`
<section class="card">
  <div class="row space-between">
    <div>
      <h2>Confirm your e-mail address</h2>
      <p class="meta">Please open the link in the e-mail that we sent you.</p>
    </div>
    ${postButton(request, "/account/email/link", "Send the link again")}
  </div>
</section>`;

const sessionTable = (request: Request, sessions: readonly User.UserSession[]): Html =>
  table(sessions, {
    caption: "Logged-in devices",
    columns: [{ label: "Device", value: sessionCell }],
    actions: ({ id, device = "Unknown device", isCurrent }) =>
      !isCurrent && postButton(request, `/account/sessions/${id}/end`, "Log out", `Log out ${device}`),
  });

const sessionCell = ({ device = "Unknown device", ...session }: User.UserSession): Html => html`
${device}
<div class="meta">${session.isCurrent ? "This device" : html`Last seen ${timestamp(session.last_seen_at)}`}</div>
<div class="meta">Logged in since ${timestamp(session.created_at)}</div>`;

const postButton = (request: Request, path: string, text: string, label?: string): Html =>
  actionButton({ csrf: Csrf.find(request), action: request.prefix + path, text, label });
