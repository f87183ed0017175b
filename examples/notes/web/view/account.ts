import type { Token, User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Form as FormData } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { field } from "./field.ts";
import { layout } from "./layout.ts";

export const create = (request: Request, form: FormData): Html =>
  layout(
    request,
    "Register",
    html`<h1>Register</h1>
      <form class="card" method="post" novalidate>
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        ${field(form, { name: "email", label: "E-mail address", type: "email", autocomplete: "username" })}
        ${newPassword(form)}
        <button>Register</button>
      </form>
      <p><a href="/login">I have an account</a></p>`,
  );

/** What the page of an account shows. */
export interface Account {
  readonly user: User.User;
  readonly sessions: readonly User.UserSession[];
  readonly tokens: readonly Token.StoredToken[];
  readonly password: FormData;
  /** The text of a token that was just made, which is shown this once. */
  readonly made?: string;
}

export const show = (request: Request, { user, sessions, tokens, password, made }: Account): Html =>
  layout(
    request,
    "Account",
    html`<h1>Your account</h1>
      <p>You are ${user.email}.</p>
      <form class="card" method="post" action="/account/password" novalidate>
        <h2>Another password</h2>
        <p class="meta">This logs out all other devices.</p>
        <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
        <input type="text" name="username" autocomplete="username" value="${user.email}" hidden />
        ${field(password, { name: "old", label: "Present password", type: "password", autocomplete: "current-password" })}
        ${newPassword(password)}
        <button>Change</button>
      </form>
      <section class="card">
        <h2>Where you are logged in</h2>
        <ul class="todos">
          ${sessions.map((session) => sessionItem(request, session))}
        </ul>
        ${
          sessions.length > 1 &&
          html`<form class="row" method="post" action="/account/sessions/end">
            <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
            <button class="quiet">Log out all other devices</button>
          </form>`
        }
      </section>
      <section class="card">
        <h2>Tokens for programs</h2>
        ${
          made &&
          html`<p class="message notice" role="status">
            Your new token, shown this once: <code class="token">${made}</code>
          </p>`
        }
        <ul class="todos">
          ${tokens.map((token) => tokenItem(request, token))}
        </ul>
        <form class="row" method="post" action="/account/tokens">
          <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
          <button class="quiet">Make a token</button>
        </form>
        <p class="meta">A program sends it as <code>Authorization: Bearer …</code> to <code>/api/notes</code>.</p>
      </section>`,
    true,
  );

const newPassword = (form: FormData): Html =>
  html`${field(form, { name: "password", label: "New password, 8 characters or more", type: "password", autocomplete: "new-password" })}
  ${field(form, { name: "confirmation", label: "The new password once more", type: "password", autocomplete: "new-password" })}`;

const sessionItem = (request: Request, { id, device = "Unknown device", ...session }: User.UserSession): Html =>
  html`<li>
    <div>
      ${device}
      <div class="meta">
        ${session.isCurrent ? "this device" : html`seen ${day(session.last_seen_at)}`}, since ${day(session.created_at)}
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
      Made ${day(token.created_at)}
      <div class="meta">${token.last_used_at === undefined ? "never used" : html`used ${day(token.last_used_at)}`}</div>
    </div>
    <form method="post" action="/account/tokens/${token.id}/revoke">
      <input type="hidden" name="csrf" value="${Csrf.find(request)}" />
      <button class="danger">Revoke</button>
    </form>
  </li>`;

const day = (at: Date): Html => html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 10)}</time>`;
