import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import { policy } from "../app/domain/project/policy.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Team from "../app/domain/team/team.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as ProjectView from "../web/view/project.ts";

/** Pages of the projects. */
export const projects = Web.choose(
  Web.Rest.resourceOfService({
    name: "projects",
    schema: Project.schema,
    view: ProjectView,
    texts: text.project,
    service: Project,
    ...ProjectView.listRules,
    ctx: userContext,
    policy: Policy.access(policy, { database, actor: User.Web.user }),
    shallow: true,
    parent: {
      path: "/teams/:team",
      find: (params, options) => Team.find(params.team, options),
      of: (item) => ({ team: item.team_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
