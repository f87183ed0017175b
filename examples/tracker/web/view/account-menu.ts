import { User } from "limmat";
import { html, type Html } from "limmat/html";
import { Csrf, type Request } from "limmat/web";
import { text } from "../../language/language.ts";
import { actionButton, navigation } from "./components.ts";

/** Renders the end of the header: a link to the login, or the name of the user and a button that logs out. */
export const accountMenu = (request: Request): Html => {
  const user = User.Web.current(request);
  const [path, label] = user === undefined ? ["/login", text.layout.logIn] : ["/account", user.name ?? user.email];
  const logOut = (): Html =>
    actionButton({ csrf: Csrf.find(request), action: `${request.prefix}/logout`, text: text.layout.logOut });
  return html`${navigation(request, [[path, label]], { label: text.layout.account })} ${user && logOut()}`;
};
