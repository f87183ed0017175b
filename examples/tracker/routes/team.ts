import { User, Web } from "limmat";
import * as Team from "../app/domain/team/team.ts";
import * as TeamView from "../web/view/team.ts";

/** Pages of the teams. */
export const teams = Web.choose(
  Web.Rest.resourceOfService({
    name: "teams",
    schema: Team.schema,
    view: TeamView,
    service: Team,
    ...TeamView.listRules,
    ctx: async (request) => [["user_id", (await User.Web.userOrThrow(request)).id]],
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
