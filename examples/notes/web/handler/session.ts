import { User, Web } from "limmat";
import { user } from "../../service/service.ts";
import * as SessionView from "../view/session.ts";

export const newSession = (request: Web.Request): Web.Response =>
  Web.Response.html(SessionView.create(request, SessionView.schema.fill()));

export async function create(request: Web.Request): Promise<Web.Response> {
  const { form, value } = SessionView.schema.decode(await request.form());
  if (value === undefined) return Web.Response.html(SessionView.create(request, form), { status: 422 });
  const result = await user.login(value.email, value.password, { client: User.Web.client(request) });
  if (!result.ok) return Web.Response.html(SessionView.create(request, form, result.error), { status: 422 });
  return User.Web.login(result.value, request, Web.Response.redirect(User.Web.returnPath(request, "/notes")));
}

export const destroy = (request: Web.Request): Promise<Web.Response> =>
  User.Web.logout(request, Web.Flash.setNotice("You are logged out", Web.Response.redirect("/login")));
