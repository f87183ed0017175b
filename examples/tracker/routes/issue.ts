import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Issue from "../app/domain/issue/issue.ts";
import { policy } from "../app/domain/issue/policy.ts";
import * as Project from "../app/domain/project/project.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as IssueView from "../web/view/issue.ts";

/** Pages of the issues. */
export const issues = Web.choose(
  Web.Rest.resourceOfService({
    name: "issues",
    schema: Issue.schema,
    view: IssueView,
    texts: text.issue,
    service: Issue,
    ...IssueView.listRules,
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
