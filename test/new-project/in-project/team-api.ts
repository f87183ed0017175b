// JSON API and CSV files of the rows of teams, as the guides show them. It runs in the project.
import { User, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import { policy as issuePolicy } from "../app/domain/issue/policy.ts";
// oxlint-disable-next-line no-restricted-imports -- the service has no pages by cursor
import { issues as issueTable } from "../app/domain/issue/repository.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Members from "../app/domain/project/members.ts";
import * as Project from "../app/domain/project/project.ts";
import { actingUser } from "../app/domain/acting-user.ts";
import { database, idempotency, token, user } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import { csv } from "../web/view/components.ts";
import * as CommentView from "../web/view/comment.ts";
import * as IssueView from "../web/view/issue.ts";
import * as LabelView from "../web/view/label.ts";
import * as MemberView from "../web/view/project-member.ts";
import * as ProjectView from "../web/view/project.ts";

const person = ({ id }: { readonly id: string }) => ({ id });
const rules = { ctx: userContext, versions: true, shallow: true } as const;
const inProject = {
  path: "/projects/:project",
  find: (params: { readonly project: string }, options: Web.Rest.ServiceOptions) =>
    Project.find(params.project, options),
  of: (item: { readonly project_id: string }) => ({ project: item.project_id }),
} as const;

const resources = [
  ...Web.Rest.jsonOfService({
    name: "projects",
    schema: Project.schema,
    service: Project,
    ctx: userContext,
    versions: true,
    ...ProjectView.listRules,
  }),
  ...Web.Rest.jsonOfService({
    name: "members",
    schema: Members.schema,
    service: Members,
    ctx: userContext,
    ...MemberView.listRules,
    parent: inProject,
  }),
  ...Web.Rest.jsonOfService({
    name: "labels",
    schema: Label.schema,
    service: Label,
    ...rules,
    ...LabelView.listRules,
    parent: inProject,
  }),
  ...Web.Rest.jsonOfService({
    name: "issues",
    schema: Issue.schema,
    service: Issue,
    ...rules,
    ...IssueView.listRules,
    fields: ["title", "state", "assignee_id", "watcher_ids", "label_ids", "duplicate_id", "project_id", "owner_id"],
    include: { labels: Label.schema, label: Label.schema, watchers: person, assignee: person, duplicate: person },
    parent: inProject,
  }),
  ...Web.Rest.jsonOfService({
    name: "comments",
    schema: Comment.schema,
    service: Comment,
    ...rules,
    ...CommentView.listRules,
    include: { author: person, readers: person, reply: person },
    parent: {
      path: "/issues/:issue",
      find: (params, options) => Issue.find(params.issue, options),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  // Pages by cursor.
  ...Web.Rest.jsonOfService({
    name: "pages",
    only: ["index"],
    schema: Issue.schema,
    ctx: userContext,
    ...IssueView.listRules,
    service: {
      search: (query: Web.CompleteQuery, options: Issue.ListOptions) => {
        const where = [{ project_id: options.params.project }, issuePolicy.where(actingUser(options))];
        return issueTable.searchPage(database, query, { ...options, where });
      },
    },
    parent: inProject,
  }),
];

/** Sends the issues of a list as a CSV file. */
async function download(request: Web.Request<{ readonly project: string }>): Promise<Web.Response> {
  const options = { ctx: await userContext(request), params: request.params };
  if ((await Project.find(options.params.project, options)) === undefined)
    return Web.Response.text("", { status: 404 });
  const [items] = await Issue.search(Web.Query.ofRequest(request, IssueView.listRules), options);
  const names = ({ labels }: Issue.Issue): string => labels.map(Label.labelOf).join();
  return csv(items, ["title", { label: "Labels", value: names }], { filename: "issues.csv" });
}

const readToken = async (text: string) => (await token.read(text, { purpose: "api" }))?.owner;
const middlewares = [
  ...Web.Middleware.api(),
  User.Web.userFromToken(user, readToken),
  Idempotency.Web.middleware(idempotency, { user: async (request) => (await User.Web.user(request))?.id }),
];

/** Routes for clients with the token of a user. */
export const teamApi: Web.Router = Web.choose(
  [...resources, Web.get("/projects/:project<uuid>/issues.csv", download)],
  { scope: "/team-api", middlewares },
);
