import { User, Web } from "limmat";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { text } from "../language/language.ts";
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
    shallow: true,
    parent: {
      path: "/issues/:issue",
      find: (params, options) => Issue.find(params.issue, options),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
