import { User, Web } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as CommentView from "../web/view/comment.ts";
import { currentUser, requireRole } from "../web/middleware/require-role.ts";

/** Pages of the comments. */
export const comments = Web.choose(
  Web.Rest.resourceOfService({
    name: "comments",
    schema: Comment.schema,
    view: CommentView,
    service: Comment,
    ctx: currentUser,
    ...CommentView.listRules,
    shallow: true,
    parent: {
      path: "/issues/:issue",
      find: (params) => Issue.find(params.issue),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("comment", "issue")] },
);
