import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Activity from "../app/domain/activity/activity.ts";
import { policy } from "../app/domain/activity/policy.ts";
import * as Project from "../app/domain/project/project.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as ActivityView from "../web/view/activity.ts";

/** Pages of the activities. */
export const activities = Web.choose(
  Web.Rest.resourceOfService({
    name: "activities",
    only: ["index", "show"],
    schema: Activity.schema,
    view: ActivityView,
    texts: text.activity,
    service: Activity,
    ...ActivityView.listRules,
    ctx: userContext,
    policy: Policy.access(policy, { database, actor: User.Web.user }),
    shallow: true,
    parent: {
      path: "/projects/:project",
      find: (params, options) => Project.find(params.project, options),
      of: (item) => ({ project: item.project_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
