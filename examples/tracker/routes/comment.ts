import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Comment from "../app/domain/comment/comment.ts";
import { policy } from "../app/domain/comment/policy.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as CommentView from "../web/view/comment.ts";

/** Pages of the comments. */
export const comments = Web.choose(
  Web.Rest.resourceOfService({
    name: "comments",
    schema: Comment.schema,
    view: CommentView,
    texts: text.comment,
    service: Comment,
    ...CommentView.listRules,
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
