import { User, Web } from "limmat";
import * as Membership from "../app/domain/membership/membership.ts";
import * as Team from "../app/domain/team/team.ts";
import * as MembershipView from "../web/view/membership.ts";
import { requireRole } from "../web/middleware/require-role.ts";

/** Pages of the memberships. */
export const memberships = Web.choose(
  Web.Rest.resourceOfService({
    name: "memberships",
    schema: Membership.schema,
    view: MembershipView,
    service: Membership,
    ...MembershipView.listRules,
    shallow: true,
    parent: {
      path: "/teams/:team",
      find: (params) => Team.find(params.team),
      of: (item) => ({ team: item.team_id }),
    },
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("membership", "team", ["owner"])] },
);
