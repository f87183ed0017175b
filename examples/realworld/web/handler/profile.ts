import { Web } from "limmat";
import * as Profile from "../../app/domain/profile/profile.ts";
import * as Document from "../view/document.ts";
import { userId, userIdOpt } from "./authentication.ts";

type Request = Web.Request<{ readonly username: string }>;

const respond = (profile: Profile.Profile): Web.Response => Web.Response.json(Document.profile(profile));

export const show = async (request: Request): Promise<Web.Response> =>
  respond(await Profile.find(request.params.username, await userIdOpt(request)));

export const follow = async (request: Request): Promise<Web.Response> =>
  respond(await Profile.follow(request.params.username, await userId(request)));

export const unfollow = async (request: Request): Promise<Web.Response> =>
  respond(await Profile.unfollow(request.params.username, await userId(request)));
