import { User } from "limmat";
import { html, type Html } from "limmat/html";
import { Csrf, type Request } from "limmat/web";
import { actionButton, navigation } from "./components.ts";

/** Renders the end of the header: a link to the login, or the name of the user and a button that logs out. */
export const accountMenu = (request: Request): Html => {
  const user = User.Web.current(request);
  const [path, label] = user === undefined ? ["/login", "Log in"] : ["/account", user.name ?? user.email];
  const action = `${request.prefix}/logout`;
  const logOut = (): Html => actionButton({ csrf: Csrf.find(request), action, text: "Log out" });
  return html`${navigation(request, [[path, label]], { label: "Account" })} ${user && logOut()}`;
};
