import type { User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Request } from "limmat/web";
import { text } from "../../language/language.ts";
import { layout } from "./layout.ts";

export const page = (request: Request, user: User.User | undefined): Html =>
  layout(
    request,
    text.welcome.title,
    html`
<section class="hero">
  <h1>Tracker</h1>
  <p>${text.welcome.lead}</p>
  <p class="row">${user === undefined ? guestLinks(request) : memberLinks(request)}</p>
</section>`,
  );

const guestLinks = ({ prefix }: Request): Html =>
  html`<a class="button" href="${prefix}/login">${text.layout.logIn}</a> <a href="${prefix}/register">${text.welcome.register}</a>`;

const memberLinks = ({ prefix }: Request): Html =>
  html`<a class="button" href="${prefix}/teams">${text.team.title}</a>`;
