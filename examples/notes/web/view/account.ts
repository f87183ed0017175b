import type { Token, User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Form as FormData } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { inputField } from "./field.ts";
import { layout } from "./layout.ts";

export const create = (request: Request, form: FormData): Html =>
  layout(
    request,
    "Register",
    html`<h1>Register</h1>
      <form class="card" method="post" novalidate>
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        ${inputField(form, { name: "email", label: "E-mail address", type: "email", autocomplete: "username" })}
        ${newPasswordFields(form)}
        <button>Register</button>
      </form>
      <p><a href="/login">I have an account</a></p>`,
  );

/** Data of the account page. */
export interface AccountPage {
  readonly user: User.User;
  readonly sessions: readonly User.UserSession[];
  readonly tokens: readonly Token.StoredToken[];
  readonly password: FormData;
  /** A newly created token. The page shows it only once. */
  readonly newToken?: string;
}

export const show = (request: Request, { user, sessions, tokens, password, newToken }: AccountPage): Html =>
  layout(
    request,
    "Account",
    html`<h1>Your account</h1>
      <p>You are logged in as ${user.email}.</p>
      <form class="card" method="post" action="/account/password" novalidate>
        <h2>Change the password</h2>
        <p class="meta">This logs out all other devices.</p>
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        <input type="text" name="username" autocomplete="username" value="${user.email}" hidden />
        ${inputField(password, { name: "old", label: "Current password", type: "password", autocomplete: "current-password" })}
        ${newPasswordFields(password)}
        <button>Change password</button>
      </form>
      <section class="card">
        <h2>Logged-in devices</h2>
        <ul class="list">
          ${sessions.map((session) => sessionItem(request, session))}
        </ul>
        ${
          sessions.length > 1 &&
          html`<form class="row" method="post" action="/account/sessions/end">
            <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
            <button class="secondary">Log out all other devices</button>
          </form>`
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
        <form class="row" method="post" action="/account/tokens">
          <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
          <button class="secondary">Create a token</button>
        </form>
        <p class="meta">API clients send it as <code>Authorization: Bearer …</code> to <code>/api/notes</code>.</p>
      </section>`,
    true,
  );

const newPasswordFields = (form: FormData): Html =>
  html`${inputField(form, { name: "password", label: "New password (at least 8 characters)", type: "password", autocomplete: "new-password" })}
  ${inputField(form, { name: "confirmation", label: "Repeat the new password", type: "password", autocomplete: "new-password" })}`;

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
      html`<form method="post" action="/account/sessions/${id}/end">
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        <button class="danger" aria-label="Log out ${device}">Log out</button>
      </form>`
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
    <form method="post" action="/account/tokens/${token.id}/revoke">
      <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
      <button class="danger">Revoke</button>
    </form>
  </li>`;

const day = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 10)}</time>`;
