import type { User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Request } from "limmat/web";
import { layout } from "./layout.ts";

export const page = (request: Request, user: User.User | undefined): Html =>
  layout(
    request,
    "Start",
    html`
<section class="hero">
  <h1>Tracker</h1>
  <p>Teams, their projects, and issues with labels, assignees and comments.</p>
  <p class="row">${user === undefined ? guestLinks(request) : memberLinks(request)}</p>
</section>`,
  );

const guestLinks = ({ prefix }: Request): Html =>
  html`<a class="button" href="${prefix}/login">Log in</a> <a href="${prefix}/register">Register</a>`;

const memberLinks = ({ prefix }: Request): Html => html`<a class="button" href="${prefix}/teams">Teams</a>`;
