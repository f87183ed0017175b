import { User } from "limmat";
import { Flash, type Request, Response } from "limmat/web";
import { user } from "../../service/service.ts";
import * as SessionView from "../view/session.ts";

/** Shows the login page. */
export const newSession = (request: Request): Response =>
  Response.html(SessionView.create(request, SessionView.schema.fill()));

/** Logs in and redirects to the page that required the login. */
export async function create(request: Request): Promise<Response> {
  const { form, value } = SessionView.schema.decode(await request.form());
  if (value === undefined) return Response.html(SessionView.create(request, form), { status: 422 });
  const result = await user.login(value.email, value.password, { client: User.Web.client(request) });
  if (!result.ok) return Response.html(SessionView.create(request, form, result.error), { status: 422 });
  return User.Web.login(result.value, request, Response.redirect(User.Web.returnPath(request, "/account")));
}

/** Logs out this device. */
export const destroy = (request: Request): Promise<Response> =>
  User.Web.logout(request, Flash.setNotice("You are logged out", Response.redirect(`${request.prefix}/login`)));
