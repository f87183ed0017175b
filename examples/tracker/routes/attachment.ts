import { User, Web } from "limmat";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as AttachmentView from "../web/view/attachment.ts";
import { currentUser, requireRole } from "../web/middleware/require-role.ts";

/** Pages of the attachments. */
export const attachments = Web.choose(
  Web.Rest.resourceOfService({
    name: "attachments",
    only: ["index", "new", "show", "destroy"],
    schema: Attachment.schema,
    view: AttachmentView,
    service: Attachment,
    ctx: currentUser,
    ...AttachmentView.listRules,
    shallow: true,
    parent: {
      path: "/issues/:issue",
      find: (params) => Issue.find(params.issue),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("attachment", "issue")] },
);
