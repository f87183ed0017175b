import { User, Web } from "limmat";
import { welcome } from "../web/handler/welcome.ts";
import { user } from "../service/service.ts";
import { api } from "./api.ts";
import { account } from "./account.ts";
import { teams } from "./team.ts";
import { teamMembers } from "./team-member.ts";
import { projects } from "./project.ts";
import { labels } from "./label.ts";
import { issues } from "./issue.ts";
import { comments } from "./comment.ts";
import { activities } from "./activity.ts";
import { files } from "./file.ts";
import { attachments } from "./attachment.ts";

const site = Web.choose(
  [Web.get("/", welcome), teams, teamMembers, projects, labels, issues, comments, activities, files, attachments],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(user)] },
);

export const router = Web.choose([site, api, Web.Health.router(), account]);
