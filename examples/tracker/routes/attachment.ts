import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import { policy } from "../app/domain/attachment/policy.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as AttachmentView from "../web/view/attachment.ts";

/** Pages of the attachments. */
export const attachments = Web.choose(
  Web.Rest.resourceOfService({
    name: "attachments",
    only: ["index", "new", "show", "destroy"],
    schema: Attachment.schema,
    view: AttachmentView,
    texts: text.attachment,
    service: Attachment,
    ...AttachmentView.listRules,
    ctx: userContext,
    policy: Policy.access(policy, { database, actor: User.Web.user }),
    shallow: true,
    parent: {
      path: "/issues/:issue",
      find: (params, options) => Issue.find(params.issue, options),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
