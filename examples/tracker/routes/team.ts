import { User, Web } from "limmat";
import * as Team from "../app/domain/team/team.ts";
import * as TeamView from "../web/view/team.ts";
import { currentUser, requireRole } from "../web/middleware/require-role.ts";

/** Pages of the teams. */
export const teams = Web.choose(
  Web.Rest.resourceOfService({
    name: "teams",
    schema: Team.schema,
    view: TeamView,
    service: Team,
    ctx: currentUser,
    ...TeamView.listRules,
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), requireRole("team", undefined, ["owner"])] },
);
