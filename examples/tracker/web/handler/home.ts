import { User } from "limmat";
import { type Request, Response } from "limmat/web";
import * as HomeView from "../view/home.ts";

/** Shows the start page. */
export const home = async (request: Request): Promise<Response> =>
  Response.html(HomeView.page(request, await User.Web.user(request)));
