import { type Request, Response } from "limmat/web";
import * as Greeting from "../../app/domain/greeting/greeting.ts";
import * as WelcomeView from "../view/welcome.ts";

/** Shows the welcome page. */
export const welcome = async (request: Request): Promise<Response> =>
  Response.html(WelcomeView.page(request, await Greeting.random()));
