import { Time, User, Web } from "limmat";
import * as Team from "../app/domain/team/team.ts";
import * as Members from "../app/domain/team/members.ts";
import * as MemberView from "../web/view/team-member.ts";

/** Shows the list of teams to members who have left, as they see the members no longer. */
const redirectLeavers: Web.Middleware = (handler) => async (request) => {
  const response = await handler(request);
  const isRedirect = response instanceof Web.Response && response.status === 303;
  if (request.method !== "DELETE" || !isRedirect) return response;
  const ctx = [["user_id", (await User.Web.userOrThrow(request)).id]] as const;
  const parentId = request.params["team"] ?? "";
  const isVisible = (await Team.find(parentId, { ctx })) !== undefined;
  return isVisible ? response : response.withHeader("location", `${request.prefix}/teams`);
};

// The answer says if an address has an account. Limits how many addresses a user can guess.
const limitAdding = Web.Middleware.requestLimit({
  name: "members",
  limit: 20,
  periodMs: Time.hours(1),
  key: (request) => (request.method === "POST" ? User.Web.byUser(request) : undefined),
});

/** Pages of the members of teams. */
export const teamMembers = Web.choose(
  Web.Rest.resourceOfService({
    name: "members",
    routeName: "teams.members",
    schema: Members.schema,
    view: MemberView,
    service: Members,
    ...MemberView.listRules,
    ctx: async (request) => [["user_id", (await User.Web.userOrThrow(request)).id]],
    parent: {
      path: "/teams/:team",
      find: (params, options) => Team.find(params.team, options),
      of: (item) => ({ team: item.team_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), limitAdding, redirectLeavers] },
);
