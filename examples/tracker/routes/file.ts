import { User, Web } from "limmat";
import * as Attachment from "../web/handler/attachment.ts";
import * as Issue from "../web/handler/issue.ts";

const upload = Web.choose([Web.post("/issues/:issue/attachments", Attachment.create)], {
  middlewares: [Web.Middleware.bodyLimit(Attachment.maxFileBytes + 100_000)],
});

/** Uploads and downloads. */
export const files = Web.choose(
  [
    upload,
    Web.get("/attachments/:id<uuid>/file", Attachment.download),
    Web.get("/projects/:project<uuid>/issues.csv", Issue.download),
  ],
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
