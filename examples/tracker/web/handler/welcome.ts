import { User } from "limmat";
import { type Request, Response } from "limmat/web";
import * as WelcomeView from "../view/welcome.ts";

/** Shows the start page. */
export const welcome = async (request: Request): Promise<Response> =>
  Response.html(WelcomeView.page(request, await User.Web.user(request)));
