import { User, Web } from "limmat";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as AttachmentHandler from "../web/handler/attachment.ts";
import { currentUser, requireRole } from "../web/middleware/require-role.ts";
import * as AttachmentView from "../web/view/attachment.ts";

const upload = Web.choose([Web.post("/issues/:issue/attachments", AttachmentHandler.create)], {
  middlewares: [Web.Middleware.bodyLimit(AttachmentHandler.maxFileBytes + 100_000)],
});

/** Pages of the attachments. */
export const attachments = Web.choose(
  [
    ...Web.Rest.resourceOfService({
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
    Web.get("/attachments/:id<uuid>/file", AttachmentHandler.download),
    upload,
  ],
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("attachment", "issue")] },
);
