import { Schema, Time, User, Web } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Team from "../app/domain/team/team.ts";
import { token, user } from "../service/service.ts";
import { currentUser, requireAdminForChanges, requireRole } from "../web/middleware/require-role.ts";
import * as CommentView from "../web/view/comment.ts";
import * as LabelView from "../web/view/label.ts";
import * as IssueView from "../web/view/issue.ts";
import * as ProjectView from "../web/view/project.ts";
import * as TeamView from "../web/view/team.ts";

/** Returns what the API tells of a person: never the address. */
const person = ({ id, name }: Pick<User.User, "id" | "name">) => ({ id, name });

const options = { ctx: currentUser, versions: true, shallow: true } as const;

const teams = Web.choose(
  Web.Rest.jsonOfService({
    name: "teams",
    schema: Team.schema,
    service: Team,
    ctx: currentUser,
    versions: true,
    ...TeamView.listRules,
  }),
  { middlewares: [requireRole("team", undefined, ["owner"])] },
);

const projects = Web.choose(
  Web.Rest.jsonOfService({
    name: "projects",
    schema: Project.schema,
    service: Project,
    ...options,
    ...ProjectView.listRules,
    parent: {
      path: "/teams/:team",
      find: (params) => Team.find(params.team),
      of: (item) => ({ team: item.team_id }),
    },
  }),
  { middlewares: [requireRole("project", "team")] },
);

const issues = Web.choose(
  Web.Rest.jsonOfService({
    name: "issues",
    schema: Issue.schema,
    service: Issue,
    ...options,
    ...IssueView.listRules,
    include: { labels: Schema.record({ name: Schema.string() }), assignee: person },
    parent: {
      path: "/projects/:project",
      find: (params) => Project.find(params.project),
      of: (item) => ({ project: item.project_id }),
    },
  }),
  { middlewares: [requireRole("issue", "project")] },
);

const labels = Web.choose(
  Web.Rest.jsonOfService({
    name: "labels",
    schema: Label.schema,
    service: Label,
    versions: true,
    ...LabelView.listRules,
  }),
  { middlewares: [requireAdminForChanges] },
);

const comments = Web.choose(
  Web.Rest.jsonOfService({
    name: "comments",
    schema: Comment.schema,
    service: Comment,
    ...options,
    ...CommentView.listRules,
    include: { author: person },
    parent: {
      path: "/issues/:issue",
      find: (params) => Issue.find(params.issue),
      of: (item) => ({ issue: item.issue_id }),
    },
  }),
  { middlewares: [requireRole("comment", "issue")] },
);

const readToken = async (text: string) => (await token.read(text, { purpose: "api" }))?.owner;

const api = Web.choose([teams, projects, labels, issues, comments], {
  scope: "/api",
  middlewares: [
    ...Web.Middleware.api(),
    User.Web.userFromToken(user, readToken),
    Web.Middleware.requestLimit({ name: "api", limit: 100, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
  ],
});

/** JSON API for users with a token, and its OpenAPI document. */
export const apiWithDocument = Web.choose([api, Web.OpenApi.router({ title: "Tracker", version: "1.0.0" })]);
