import { User, Web } from "limmat";
import * as Attachment from "../web/handler/attachment.ts";
import * as Issue from "../web/handler/issue.ts";
import { requireRole } from "../web/middleware/require-role.ts";

const upload = Web.choose([Web.post("/issues/:issue/attachments", Attachment.create)], {
  middlewares: [Web.Middleware.bodyLimit(Attachment.maxFileBytes + 100_000)],
});

const attachments = Web.choose([Web.get("/attachments/:id<uuid>/file", Attachment.download), upload], {
  middlewares: [requireRole("attachment", "issue")],
});

const lists = Web.choose([Web.get("/projects/:project<uuid>/issues.csv", Issue.download)], {
  middlewares: [requireRole("issue", "project")],
});

/** Uploads and downloads. */
export const files = Web.choose([attachments, lists], {
  middlewares: [User.Web.requireUser({ loginPath: "/login" })],
});
