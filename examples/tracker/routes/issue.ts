import { User, Web } from "limmat";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Project from "../app/domain/project/project.ts";
import * as IssueView from "../web/view/issue.ts";
import { currentUser, requireRole } from "../web/middleware/require-role.ts";

/** Pages of the issues. */
export const issues = Web.choose(
  Web.Rest.resourceOfService({
    name: "issues",
    schema: Issue.schema,
    view: IssueView,
    service: Issue,
    ctx: currentUser,
    ...IssueView.listRules,
    shallow: true,
    parent: {
      path: "/projects/:project",
      find: (params) => Project.find(params.project),
      of: (item) => ({ project: item.project_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("issue", "project")] },
);
