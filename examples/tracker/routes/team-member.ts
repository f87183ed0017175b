import { Time, User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Team from "../app/domain/team/team.ts";
import * as Members from "../app/domain/team/members.ts";
import { memberPolicy } from "../app/domain/team/policy.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as MemberView from "../web/view/team-member.ts";

/** Shows the list of teams to members who have left, as they see the members no longer. */
const redirectLeavers: Web.Middleware = (handler) => async (request) => {
  const response = await handler(request);
  const isRedirect = response instanceof Web.Response && response.status === 303;
  if (request.method !== "DELETE" || !isRedirect) return response;
  const parentId = request.params["team"] ?? "";
  const ctx = await userContext(request);
  const isVisible = (await Team.find(parentId, { ctx })) !== undefined;
  return isVisible ? response : response.withHeader("location", `${request.prefix}/teams`);
};

/** Answers a pending membership. */
const answer =
  (act: typeof Members.accept, notice: () => string): Web.Handler<{ readonly id: string }> =>
  async (request) => {
    const response = Web.Response.redirect(`${request.prefix}/teams`);
    return (await act(request.params.id, { ctx: await userContext(request) }))
      ? Web.Flash.setNotice(notice(), response)
      : Web.Flash.setAlert(text.member.tooLate, response);
  };

// Each address that a user adds shows its owner a note.
const limitAdding = Web.Middleware.requestLimit({
  name: "members",
  limit: 20,
  periodMs: Time.hours(1),
  key: (request) => (request.method === "POST" ? User.Web.byUser(request) : undefined),
});

/** Pages of the members of teams. */
export const teamMembers = Web.choose(
  [
    Web.put(
      "/teams/pending/:id<uuid>",
      answer(Members.accept, () => text.member.accepted),
    ),
    Web.delete(
      "/teams/pending/:id<uuid>",
      answer(Members.decline, () => text.member.declined),
    ),
    ...Web.Rest.resourceOfService({
      name: "members",
      routeName: "teams.members",
      schema: Members.schema,
      view: MemberView,
      texts: text.member,
      service: Members,
      ...MemberView.listRules,
      ctx: userContext,
      policy: Policy.access(memberPolicy, { database, actor: User.Web.user }),
      parent: {
        path: "/teams/:team",
        find: (params, options) => Team.find(params.team, options),
        of: (item) => ({ team: item.team_id }),
      },
    }),
  ],
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), limitAdding, redirectLeavers] },
);
