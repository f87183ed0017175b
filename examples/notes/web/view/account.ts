import type { Token, User } from "limmat";
import { html, type Html } from "limmat/html";
import { type Form, Schema } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { actionButton, formOf } from "./components.ts";
import { layout } from "./layout.ts";

const secret = Schema.text({ sensitive: true });

/** Schema of the registration form. */
export const registration = Schema.record({ email: Schema.string(), password: secret, confirmation: secret });
/** Schema of the form that changes the password. */
export const passwordChange = Schema.record({ old: secret, password: secret, confirmation: secret });

const email = { label: "E-mail address", type: "email", autocomplete: "username", isRequired: true } as const;
const newPasswords = {
  password: { label: "New password", hint: "At least 8 characters", autocomplete: "new-password", isRequired: true },
  confirmation: { label: "Repeat the new password", autocomplete: "new-password", isRequired: true },
};

export const create = (request: Request, data: Form): Html =>
  layout(
    request,
    "Register",
    html`<h1>Register</h1>
      ${formOf(registration, data, { csrf: Csrf.find(request), submit: "Register", fields: { email, ...newPasswords } })}
      <p><a href="/login">I have an account</a></p>`,
  );

/** Data of the account page. */
export interface AccountPage {
  readonly user: User.User;
  readonly sessions: readonly User.UserSession[];
  readonly tokens: readonly Token.StoredToken[];
  readonly password: Form;
  /** A newly created token. The page shows it only once. */
  readonly newToken?: string;
}

export const show = (request: Request, { user, sessions, tokens, password, newToken }: AccountPage): Html =>
  layout(
    request,
    "Account",
    html`<h1>Your account</h1>
      <p>You are logged in as ${user.email}.</p>
      ${passwordForm(request, user, password)}
      <section class="card">
        <h2>Logged-in devices</h2>
        <ul class="list">
          ${sessions.map((session) => sessionItem(request, session))}
        </ul>
        ${
          sessions.length > 1 &&
          actionButton({ csrf: Csrf.find(request), action: "/account/sessions/end", text: "Log out all other devices" })
        }
      </section>
      <section class="card">
        <h2>API tokens</h2>
        ${
          newToken &&
          html`<p class="message notice" role="status">
            Your new token, shown only once: <code class="token">${newToken}</code>
          </p>`
        }
        <ul class="list">
          ${tokens.map((token) => tokenItem(request, token))}
        </ul>
        ${actionButton({ csrf: Csrf.find(request), action: "/account/tokens", text: "Create a token" })}
        <p class="meta">API clients send it as <code>Authorization: Bearer …</code> to <code>/api/notes</code>.</p>
      </section>`,
    true,
  );

const passwordForm = (request: Request, user: User.User, data: Form): Html =>
  formOf(passwordChange, data, {
    csrf: Csrf.find(request),
    action: "/account/password",
    submit: "Change password",
    fields: { old: { label: "Current password", autocomplete: "current-password", isRequired: true }, ...newPasswords },
    // Password managers need the user name in the same form.
    before: html`<h2>Change the password</h2>
      <p class="meta">This logs out all other devices.</p>
      <input type="text" name="username" autocomplete="username" value="${user.email}" hidden />`,
  });

const sessionItem = (request: Request, { id, device = "Unknown device", ...session }: User.UserSession): Html =>
  html`<li>
    <div>
      ${device}
      <div class="meta">
        ${session.isCurrent ? "This device" : html`Last seen ${day(session.last_seen_at)}`}, logged in since
        ${day(session.created_at)}
      </div>
    </div>
    ${
      !session.isCurrent &&
      actionButton({
        csrf: Csrf.find(request),
        action: `/account/sessions/${id}/end`,
        text: "Log out",
        label: `Log out ${device}`,
        style: "danger",
      })
    }
  </li>`;

const tokenItem = (request: Request, token: Token.StoredToken): Html =>
  html`<li>
    <div>
      Created ${day(token.created_at)}
      <div class="meta">
        ${token.last_used_at === undefined ? "Never used" : html`Last used ${day(token.last_used_at)}`}
      </div>
    </div>
    ${actionButton({ csrf: Csrf.find(request), action: `/account/tokens/${token.id}/revoke`, text: "Revoke", style: "danger" })}
  </li>`;

const day = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`;
