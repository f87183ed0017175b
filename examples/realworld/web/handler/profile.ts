import { Web } from "limmat";
import * as Profile from "../../app/domain/profile/profile.ts";
import * as Document from "../view/document.ts";
import { memberOf, viewerOf } from "./viewer.ts";

type Request = Web.Request<{ readonly username: string }>;

const answer = (profile: Profile.Profile): Web.Response => Web.Response.json(Document.profile(profile));

export const show = async (request: Request): Promise<Web.Response> =>
  answer(await Profile.find(request.params.username, await viewerOf(request)));

export const follow = async (request: Request): Promise<Web.Response> =>
  answer(await Profile.follow(request.params.username, await memberOf(request)));

export const unfollow = async (request: Request): Promise<Web.Response> =>
  answer(await Profile.unfollow(request.params.username, await memberOf(request)));
