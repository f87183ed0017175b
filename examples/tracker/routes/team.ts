import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import { policy } from "../app/domain/team/policy.ts";
import * as Team from "../app/domain/team/team.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as TeamView from "../web/view/team.ts";

/** Pages of the teams. */
export const teams = Web.choose(
  Web.Rest.resourceOfService({
    name: "teams",
    schema: Team.schema,
    view: TeamView,
    texts: text.team,
    service: Team,
    ...TeamView.listRules,
    ctx: userContext,
    policy: Policy.access(policy, { database, actor: User.Web.user }),
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
