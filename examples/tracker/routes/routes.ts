import { User, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import { idempotency, user } from "../service/service.ts";
import { welcome } from "../web/handler/welcome.ts";
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

// Of all pages. A form that is sent twice is processed once.
const middlewares = [
  ...Web.Middleware.site(),
  Idempotency.Web.forms(idempotency),
  User.Web.middleware(user, { preload: true }),
];

const site = Web.choose(
  [Web.get("/", welcome), teams, teamMembers, projects, labels, issues, comments, activities, files, attachments],
  { middlewares },
);

export const router = Web.choose([site, api, Web.Health.router(), account]);
