import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Label from "../app/domain/label/label.ts";
import { policy } from "../app/domain/label/policy.ts";
import * as Project from "../app/domain/project/project.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as LabelView from "../web/view/label.ts";

/** Pages of the labels. */
export const labels = Web.choose(
  Web.Rest.resourceOfService({
    name: "labels",
    schema: Label.schema,
    view: LabelView,
    texts: text.label,
    service: Label,
    ...LabelView.listRules,
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
