import { User, Web } from "limmat";
import { home } from "../web/handler/home.ts";
import { user } from "../service/service.ts";
import { apiWithDocument } from "./api.ts";
import { account } from "./account.ts";
import { teams } from "./team.ts";
import { teamMembers } from "./team-member.ts";
import { projects } from "./project.ts";
import { labels } from "./label.ts";
import { issues } from "./issue.ts";
import { comments } from "./comment.ts";
import { activities } from "./activity.ts";
import { attachments } from "./attachment.ts";
import { files } from "./file.ts";

const site = Web.choose(
  [Web.get("/", home), teams, teamMembers, projects, labels, issues, comments, activities, attachments, files],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(user)] },
);

export const router = Web.choose([site, Web.Health.router(), apiWithDocument, account]);
