import { Schema, Time, User, Web } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Label from "../app/domain/label/label.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as Project from "../app/domain/project/project.ts";
import * as Team from "../app/domain/team/team.ts";
import { token, user } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as CommentView from "../web/view/comment.ts";
import * as LabelView from "../web/view/label.ts";
import * as IssueView from "../web/view/issue.ts";
import * as ProjectView from "../web/view/project.ts";
import * as TeamView from "../web/view/team.ts";

/** Returns what the API tells of a person: never the address. */
const person = ({ id, name }: Pick<User.User, "id" | "name">) => ({ id, name });

const rules = { ctx: userContext, versions: true, shallow: true } as const;

const teams = Web.Rest.jsonOfService({
  name: "teams",
  schema: Team.schema,
  service: Team,
  ctx: userContext,
  versions: true,
  ...TeamView.listRules,
});

const projects = Web.Rest.jsonOfService({
  name: "projects",
  schema: Project.schema,
  service: Project,
  ...rules,
  ...ProjectView.listRules,
  parent: {
    path: "/teams/:team",
    find: (params, options) => Team.find(params.team, options),
    of: (item) => ({ team: item.team_id }),
  },
});

const issues = Web.Rest.jsonOfService({
  name: "issues",
  schema: Issue.schema,
  service: Issue,
  ...rules,
  ...IssueView.listRules,
  include: { labels: Schema.record({ name: Schema.string() }), assignee: person },
  parent: {
    path: "/projects/:project",
    find: (params, options) => Project.find(params.project, options),
    of: (item) => ({ project: item.project_id }),
  },
});

const labels = Web.Rest.jsonOfService({
  name: "labels",
  schema: Label.schema,
  service: Label,
  ...rules,
  ...LabelView.listRules,
  parent: {
    path: "/projects/:project",
    find: (params, options) => Project.find(params.project, options),
    of: (item) => ({ project: item.project_id }),
  },
});

const comments = Web.Rest.jsonOfService({
  name: "comments",
  schema: Comment.schema,
  service: Comment,
  ...rules,
  ...CommentView.listRules,
  include: { owner: person },
  parent: {
    path: "/issues/:issue",
    find: (params, options) => Issue.find(params.issue, options),
    of: (item) => ({ issue: item.issue_id }),
  },
});

const readToken = async (text: string) => (await token.read(text, { purpose: "api" }))?.owner;

const resources = Web.choose([...teams, ...projects, ...labels, ...issues, ...comments], {
  scope: "/api",
  middlewares: [
    ...Web.Middleware.api(),
    User.Web.userFromToken(user, readToken),
    Web.Middleware.requestLimit({ name: "api", limit: 100, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
  ],
});

/** JSON API for users with a token, and its OpenAPI document. */
export const api = Web.choose([resources, Web.OpenApi.router({ title: "Tracker", version: "1.0.0" })]);
